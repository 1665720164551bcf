import type { JsonSchema, SqlStep } from 'rlenv'
import { adjustSign, verbDictionary } from '../grammar/verbs.ts'
import type { ActPlan, FieldPlan } from '../plan/application-plan.ts'
import { capitalized, quoted } from '../plan/naming.ts'
import { actForms } from '../plan/plan-entity.ts'
import { type EntityToolKit, guard, sqlList } from './entity-tool-kit.ts'
import { type PlannedTool, type ToolParts, toolOf } from './planned-tool.ts'

type Act<Kind extends ActPlan['blueprint']['kind']> = Extract<ActPlan['blueprint'], { readonly kind: Kind }>

/** One tool per act of the entity. */
export function actTools(kit: EntityToolKit): readonly PlannedTool[] {
  return kit.entity.acts.map((act, index) => {
    const { parts, ids } = actParts(kit, act)
    return {
      entity: kit.entity.key,
      rank: act.blueprint.kind === 'status' ? 8 : 11,
      role: { kind: 'act', act: index, arguments: ids },
      tool: toolOf(parts),
    }
  })
}

interface ActTool {
  readonly parts: ToolParts
  /** Arguments in the order row, then target or amount. */
  readonly ids: readonly string[]
}

function actParts(kit: EntityToolKit, act: ActPlan): ActTool {
  const { blueprint } = act
  switch (blueprint.kind) {
    case 'status':
      return statusTool(kit, act, blueprint)
    case 'adjust':
      return adjustTool(kit, act, blueprint)
    case 'assign':
      return assignTool(kit, act, blueprint)
    case 'transfer':
      return transferTool(kit, act, blueprint)
  }
}

function statusTool(kit: EntityToolKit, act: ActPlan, blueprint: Act<'status'>): ActTool {
  const { entity, table, id } = kit
  const parameter = entity.idParameter
  const stored = entity.status?.stored ?? {}
  const column = quoted(entity.status?.column ?? '')
  const from = blueprint.from.map((state) => stored[state] ?? state)
  const to = stored[blueprint.to] ?? blueprint.to
  const states = from.map((state) => state.replaceAll('_', ' ')).join(' or ')
  const sentence = `${capitalized(kit.described(act.form, actForms(blueprint)).words)} one ${entity.noun}.`
  const update = `UPDATE ${table} SET ${column} = '${to}' WHERE ${id} = @${parameter} AND ${column} IN (${sqlList(from)})`
  return {
    ids: [parameter],
    parts: {
      name: kit.name(act.form.words, entity.noun),
      summary: sentence,
      description: `${sentence} It must be ${states}.`,
      effect: 'write',
      tables: [entity.table],
      properties: { [parameter]: kit.idSchema() },
      required: [parameter],
      output: kit.rowSchema(),
      steps: [
        kit.exists(),
        {
          kind: 'run',
          sql: update,
          error: { code: 'wrong_status', message: `The ${entity.noun} {${parameter}} is not ${states}.` },
        },
        kit.current(),
      ],
    },
  }
}

function numberSchema(field: FieldPlan): JsonSchema {
  const type = field.type.kind === 'money' ? 'number' : 'integer'
  return { type, exclusiveMinimum: 0, description: `How much of the ${field.words}.` }
}

/** @throws {Error} when a blueprint adjusts a field that its entity lacks; a test holds every domain to it. */
function fieldOf(kit: EntityToolKit, key: string): FieldPlan {
  const field = kit.entity.fields.find((candidate) => candidate.key === key)
  if (field === undefined) throw new Error(`${kit.entity.key} has no field "${key}"`)
  return field
}

function changed(field: FieldPlan, sign: '+' | '-', amount: string): string {
  const sum = `${quoted(field.column)} ${sign} @${amount}`
  return `${quoted(field.column)} = ${field.type.kind === 'money' ? `ROUND(${sum}, 2)` : sum}`
}

function takeFrom(kit: EntityToolKit, field: FieldPlan, amount: string, parameter: string): SqlStep {
  return {
    kind: 'run',
    sql: `UPDATE ${kit.table} SET ${changed(field, '-', amount)} WHERE ${kit.id} = @${parameter} AND ${quoted(field.column)} >= @${amount}`,
    error: { code: 'not_enough', message: `The ${field.words} of {${parameter}} is below {${amount}}.` },
  }
}

function adjustTool(kit: EntityToolKit, act: ActPlan, blueprint: Act<'adjust'>): ActTool {
  const { entity, table, id } = kit
  const parameter = entity.idParameter
  const field = fieldOf(kit, blueprint.field)
  const amount = kit.plan.style.amountWord
  const adds = adjustSign(blueprint.verb) === 1
  const verb = kit.described(act.form, actForms(blueprint))
  const what = `the ${field.words} of one ${entity.noun}`
  const sentence = capitalized(
    verb.preposition === 'by' ? `${verb.words} ${what}.` : `${verb.words} ${verb.preposition} ${what}.`,
  )
  const write: SqlStep = adds
    ? { kind: 'run', sql: `UPDATE ${table} SET ${changed(field, '+', amount)} WHERE ${id} = @${parameter}` }
    : takeFrom(kit, field, amount, parameter)
  return {
    ids: [parameter, amount],
    parts: {
      name: kit.name(act.form.words, entity.noun, field.words),
      summary: sentence,
      description: `${sentence} The number is ${adds ? 'added to' : 'taken from'} its ${field.words}.`,
      effect: 'write',
      tables: [entity.table],
      properties: { [parameter]: kit.idSchema(), [amount]: numberSchema(field) },
      required: [parameter, amount],
      output: kit.rowSchema(),
      steps: [kit.exists(), write, kit.current()],
    },
  }
}

function assignTool(kit: EntityToolKit, act: ActPlan, blueprint: Act<'assign'>): ActTool {
  const { entity, table, id } = kit
  const parameter = entity.idParameter
  const target = kit.targetOf(blueprint.ref)
  const column = entity.refs.find((ref) => ref.target === blueprint.ref)?.column ?? ''
  const verb = kit.described(act.form, verbDictionary.assign[blueprint.verb])
  const sentence = `${capitalized(verb.words)} one ${entity.noun} ${verb.preposition} another ${target.noun}.`
  return {
    ids: [parameter, column],
    parts: {
      name: kit.name(act.form.words, entity.noun),
      summary: sentence,
      description: sentence,
      effect: 'write',
      tables: [entity.table],
      properties: { [parameter]: kit.idSchema(), [column]: kit.idSchema(target) },
      required: [parameter, column],
      output: kit.rowSchema(),
      steps: [
        kit.exists(),
        kit.exists(column, target),
        {
          kind: 'run',
          sql: `UPDATE ${table} SET ${quoted(column)} = @${column} WHERE ${id} = @${parameter} AND ${quoted(column)} IS NOT @${column}`,
          error: {
            code: 'nothing_to_change',
            message: `The ${entity.noun} {${parameter}} already belongs to the ${target.noun} {${column}}.`,
          },
        },
        kit.current(),
      ],
    },
  }
}

function transferTool(kit: EntityToolKit, act: ActPlan, blueprint: Act<'transfer'>): ActTool {
  const { entity, table, id, plan } = kit
  const field = fieldOf(kit, blueprint.field)
  const amount = plan.style.amountWord
  const [from, to] = ['from', 'to'].map((side) =>
    plan.style.idParameter === 'bare' ? kit.identifier(side, 'id') : kit.identifier(side, entity.noun, 'id'),
  ) as [string, string]
  const verb = kit.described(act.form, actForms(blueprint))
  const sentence = `${capitalized(verb.words)} ${field.words} from one ${entity.noun} to another.`
  const sameError = { code: 'same_row', message: `Both sides are the ${entity.noun} {${from}}.` }
  return {
    ids: [from, to, amount],
    parts: {
      name: kit.name(act.form.words, entity.noun, field.words),
      summary: sentence,
      description: sentence,
      effect: 'write',
      tables: [entity.table],
      properties: { [from]: kit.idSchema(), [to]: kit.idSchema(), [amount]: numberSchema(field) },
      required: [from, to, amount],
      output: { type: 'array', items: kit.rowSchema() },
      steps: [
        kit.exists(from),
        kit.exists(to),
        guard(`@${from} <> @${to}`, sameError),
        takeFrom(kit, field, amount, from),
        { kind: 'run', sql: `UPDATE ${table} SET ${changed(field, '+', amount)} WHERE ${id} = @${to}` },
        { kind: 'rows', sql: `${kit.selectRows()} WHERE ${id} IN (@${from}, @${to}) ORDER BY ${id}`, limit: 2 },
      ],
    },
  }
}
