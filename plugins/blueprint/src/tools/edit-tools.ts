import type { JsonSchema, SqlStep } from 'rlenv'
import { verbDictionary } from '../grammar/verbs.ts'
import type { FieldPlan } from '../plan/application-plan.ts'
import { article, capitalized, quoted, sqlText } from '../plan/naming.ts'
import { type EntityToolKit, fieldArgument, guard, notFound, sqlList } from './entity-tool-kit.ts'
import { type PlannedTool, toolOf } from './planned-tool.ts'

/** The tools that make, change and delete rows. */
export function editTools(kit: EntityToolKit): readonly PlannedTool[] {
  const tools: PlannedTool[] = []
  if (kit.entity.create !== null) tools.push(createTool(kit, kit.entity.create))
  tools.push(...updateTools(kit))
  if (kit.entity.deletable) tools.push(deleteTool(kit))
  return tools
}

/** Fields that a caller gives when a row is made. */
export function givenFields(fields: readonly FieldPlan[]): readonly FieldPlan[] {
  return fields.filter((field) => field.type.kind !== 'stamp')
}

function createTool(kit: EntityToolKit, create: NonNullable<EntityToolKit['entity']['create']>): PlannedTool {
  const { entity } = kit
  const given = givenFields(entity.fields)
  const namedByCaller = entity.label !== null && entity.label.kind !== 'code'
  const properties: Record<string, JsonSchema> = {}
  for (const ref of entity.refs) properties[ref.column] = kit.idSchema(kit.targetOf(ref.target))
  if (entity.label !== null && namedByCaller) {
    properties[entity.label.column] = { type: 'string', minLength: 1, description: `The new ${entity.noun}'s name.` }
  }
  for (const field of given) properties[field.column] = fieldArgument(field)
  const verb = kit.described(create.form, verbDictionary.create[create.verb])
  const sentence = `${capitalized(verb.words)} ${article(entity.noun)} ${entity.noun}.`
  return {
    entity: entity.key,
    rank: 7,
    role: { kind: 'create' },
    tool: toolOf({
      name: kit.name(create.form.words, entity.noun),
      summary: sentence,
      description: `${sentence} Returns the new row.`,
      effect: 'write',
      tables: [entity.table, ...entity.refs.map((ref) => kit.targetOf(ref.target).table)],
      properties,
      required: Object.keys(properties),
      output: kit.rowSchema(),
      steps: createSteps(kit, namedByCaller),
    }),
  }
}

function createSteps(kit: EntityToolKit, namedByCaller: boolean): readonly SqlStep[] {
  const { entity, table } = kit
  const steps: SqlStep[] = entity.refs.map((ref) => kit.exists(ref.column, kit.targetOf(ref.target)))
  if (entity.label !== null && namedByCaller) {
    const { column } = entity.label
    steps.push(
      guard(`NOT EXISTS (SELECT 1 FROM ${table} WHERE ${quoted(column)} = @${column} COLLATE NOCASE)`, {
        code: 'already_exists',
        message: `There is already ${article(entity.noun)} ${entity.noun} called "{${column}}".`,
      }),
    )
  }
  const values = insertedValues(kit, namedByCaller)
  const columns = Object.keys(values).map(quoted).join(', ')
  steps.push({ kind: 'run', sql: `INSERT INTO ${table} (${columns}) VALUES (${Object.values(values).join(', ')})` })
  steps.push({
    kind: 'row',
    sql: `${kit.selectRows()} WHERE rowid = @rowid`,
    error: { code: 'not_created', message: `The ${entity.noun} was not created.` },
  })
  return steps
}

/** SQL expression per column of a new row; integer keys are left to SQLite. */
function insertedValues(kit: EntityToolKit, namedByCaller: boolean): Readonly<Record<string, string>> {
  const { entity, plan } = kit
  const values: Record<string, string> = {}
  if (plan.style.ids === 'text')
    values[entity.idColumn] = nextNumbered(kit, entity.idColumn, entity.prefix, entity.idBase)
  if (entity.label !== null) {
    const { column } = entity.label
    values[column] = namedByCaller ? `@${column}` : nextNumbered(kit, column, `${entity.prefix}-`, 1000)
  }
  for (const ref of entity.refs) values[ref.column] = `@${ref.column}`
  const first = entity.blueprint.states[0]
  if (entity.status !== null && first !== undefined) {
    values[entity.status.column] = sqlText(entity.status.stored[first] ?? first)
  }
  for (const field of entity.fields) {
    values[field.column] = field.type.kind === 'stamp' ? "DATE('now')" : `@${field.column}`
  }
  return values
}

/** The next of texts like `ORD-1234`: one more than the largest number. */
function nextNumbered(kit: EntityToolKit, column: string, prefix: string, base: number): string {
  const number = `CAST(SUBSTR(${quoted(column)}, ${prefix.length + 1}) AS INTEGER)`
  return `(SELECT ${sqlText(prefix)} || (COALESCE(MAX(${number}), ${base}) + 1) FROM ${kit.table})`
}

/** Fields that users edit: not those that acts move, not stamps. */
function editableFields(kit: EntityToolKit): readonly FieldPlan[] {
  const moved = new Set(
    kit.entity.acts.flatMap(({ blueprint }) => ('field' in blueprint ? [blueprint.field as string] : [])),
  )
  return givenFields(kit.entity.fields).filter((field) => !moved.has(field.key))
}

function updateTools(kit: EntityToolKit): readonly PlannedTool[] {
  const fields = editableFields(kit)
  if (fields.length === 0) return []
  switch (kit.entity.update) {
    case 'optional':
      return [optionalUpdate(kit, fields)]
    case 'setters':
      return fields.map((field, index) => setter(kit, field, index))
    case 'field-value':
      return fieldValueUpdate(kit, fields)
  }
}

const unchanged = (noun: string) => ({ code: 'nothing_to_change', message: `The ${noun} already is as asked.` })

function optionalUpdate(kit: EntityToolKit, fields: readonly FieldPlan[]): PlannedTool {
  const { entity, table, id } = kit
  const parameter = entity.idParameter
  const columns = fields.map((field) => field.column)
  const set = columns.map((column) => `${quoted(column)} = COALESCE(@${column}, ${quoted(column)})`).join(', ')
  const differs = columns.map((column) => `COALESCE(@${column}, ${quoted(column)}) <> ${quoted(column)}`).join(' OR ')
  const verb = kit.describedGeneric('update')
  const sentence = `${verb} details of one ${entity.noun}.`
  return {
    entity: entity.key,
    rank: 7,
    role: { kind: 'update', fields },
    tool: toolOf({
      name: kit.name(kit.generic('update'), entity.noun),
      summary: sentence,
      description: `${sentence} Give only what shall change: ${fields.map((field) => field.words).join(', ')}.`,
      effect: 'write',
      tables: [entity.table],
      properties: {
        [parameter]: kit.idSchema(),
        ...Object.fromEntries(fields.map((field) => [field.column, fieldArgument(field)])),
      },
      required: [parameter],
      output: kit.rowSchema(),
      steps: [
        {
          kind: 'require',
          anyOf: columns,
          error: { code: 'nothing_to_change', message: 'Nothing to change was given.' },
        },
        kit.exists(),
        {
          kind: 'run',
          sql: `UPDATE ${table} SET ${set} WHERE ${id} = @${parameter} AND (${differs})`,
          error: unchanged(entity.noun),
        },
        kit.current(),
      ],
    }),
  }
}

function setter(kit: EntityToolKit, field: FieldPlan, index: number): PlannedTool {
  const { entity, table, id } = kit
  const parameter = entity.idParameter
  const column = quoted(field.column)
  const sentence = `${kit.describedGeneric('set')} the ${field.words} of one ${entity.noun}.`
  return {
    entity: entity.key,
    rank: index === 0 ? 7 : 2,
    role: { kind: 'update', fields: [field] },
    tool: toolOf({
      name: kit.name(kit.generic('set'), entity.noun, field.words),
      summary: sentence,
      description: sentence,
      effect: 'write',
      tables: [entity.table],
      properties: { [parameter]: kit.idSchema(), [field.column]: fieldArgument(field) },
      required: [parameter, field.column],
      output: kit.rowSchema(),
      steps: [
        kit.exists(),
        {
          kind: 'run',
          sql: `UPDATE ${table} SET ${column} = @${field.column} WHERE ${id} = @${parameter} AND ${column} <> @${field.column}`,
          error: unchanged(entity.noun),
        },
        kit.current(),
      ],
    }),
  }
}

/** Numbers keep setters of their own: a text argument cannot carry them. */
function fieldValueUpdate(kit: EntityToolKit, fields: readonly FieldPlan[]): readonly PlannedTool[] {
  const textual = fields.filter((field) => field.type.kind !== 'money' && field.type.kind !== 'integer')
  const numbers = fields.filter((field) => !textual.includes(field))
  const setters = numbers.map((field, index) => setter(kit, field, index + 1))
  if (textual.length < 2) return [...setters, ...textual.map((field) => setter(kit, field, 0))]
  return [...setters, fieldValueTool(kit, textual)]
}

function fieldValueTool(kit: EntityToolKit, fields: readonly FieldPlan[]): PlannedTool {
  const { entity, table, id } = kit
  const parameter = entity.idParameter
  const named = (field: FieldPlan): string => `@field = ${sqlText(field.column)}`
  const set = fields.map(
    (field) => `${quoted(field.column)} = CASE WHEN ${named(field)} THEN @value ELSE ${quoted(field.column)} END`,
  )
  const differs = fields.map((field) => `${named(field)} AND ${quoted(field.column)} <> @value`).join(' OR ')
  const sentence = `${kit.describedGeneric('update')} one detail of one ${entity.noun}.`
  return {
    entity: entity.key,
    rank: 7,
    role: { kind: 'update-field', fields },
    tool: toolOf({
      name: kit.name(kit.generic('update'), entity.noun),
      summary: sentence,
      description: `${sentence} Name the field and give its new value.`,
      effect: 'write',
      tables: [entity.table],
      properties: {
        [parameter]: kit.idSchema(),
        field: { type: 'string', enum: fields.map((field) => field.column), description: 'Which detail.' },
        value: { type: 'string', minLength: 1, description: 'The new value.' },
      },
      required: [parameter, 'field', 'value'],
      output: kit.rowSchema(),
      steps: [
        ...fields.flatMap((field) => valueGuard(field, named(field))),
        kit.exists(),
        {
          kind: 'run',
          sql: `UPDATE ${table} SET ${set.join(', ')} WHERE ${id} = @${parameter} AND (${differs})`,
          error: unchanged(entity.noun),
        },
        kit.current(),
      ],
    }),
  }
}

/** Refuses values that the column could not hold. */
function valueGuard(field: FieldPlan, named: string): readonly SqlStep[] {
  const error = { code: 'invalid_value', message: `"{value}" is no ${field.words}.` }
  if (field.type.kind === 'choice') return [guard(`NOT (${named}) OR @value IN (${sqlList(field.values)})`, error)]
  if (field.type.kind === 'date') return [guard(`NOT (${named}) OR DATE(@value) = @value`, error)]
  return []
}

function deleteTool(kit: EntityToolKit): PlannedTool {
  const { entity, table, id } = kit
  const parameter = entity.idParameter
  const sentence = `${kit.describedGeneric('remove')} one ${entity.noun}.`
  return {
    entity: entity.key,
    rank: 7,
    role: { kind: 'delete' },
    tool: toolOf({
      name: kit.name(kit.generic('remove'), entity.noun),
      summary: sentence,
      description: `${sentence} This cannot be undone.`,
      effect: 'write',
      tables: [entity.table],
      properties: { [parameter]: kit.idSchema() },
      required: [parameter],
      output: {
        type: 'object',
        properties: { changes: { type: 'integer' } },
        required: ['changes'],
        additionalProperties: false,
      },
      steps: [
        {
          kind: 'run',
          sql: `DELETE FROM ${table} WHERE ${id} = @${parameter}`,
          error: notFound(entity, parameter),
        },
      ],
    }),
  }
}
