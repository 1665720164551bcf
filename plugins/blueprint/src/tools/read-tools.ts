import type { JsonSchema, SqlStep } from 'rlenv'
import { capitalized, identifier, quoted } from '../plan/naming.ts'
import { type EntityToolKit, statusValues } from './entity-tool-kit.ts'
import { type PlannedTool, toolOf } from './planned-tool.ts'

const mostRows = 100

/** The tools that only look: find by label, read one row, list the rows that belong to another. */
export function readTools(kit: EntityToolKit): readonly PlannedTool[] {
  const { entity } = kit
  const tools: PlannedTool[] = []
  if (entity.label !== null) tools.push(lookupTool(kit, entity.label))
  tools.push(getTool(kit))
  for (const [index, ref] of entity.refs.entries()) tools.push(childrenTool(kit, ref.target, ref.column, index === 0))
  return tools
}

interface LookupShape {
  readonly name: string
  readonly argument: string
  readonly schema: JsonSchema
  readonly required: boolean
  readonly verb: string
  readonly how: string
  readonly step: SqlStep
}

function lookupTool(kit: EntityToolKit, label: { readonly column: string; readonly words: string }): PlannedTool {
  const { entity } = kit
  const shape = lookupShape(kit, label)
  const row = kit.rowSchema(entity.brief)
  const sentence = `${shape.verb} ${shape.step.kind === 'row' ? `one ${entity.noun}` : entity.plural} ${shape.how}.`
  const extra = entity.brief ? ' Returns ids and names only.' : ''
  return {
    entity: entity.key,
    rank: 20,
    role: { kind: 'lookup', argument: shape.argument, brief: entity.brief },
    tool: toolOf({
      name: shape.name,
      summary: sentence,
      description: sentence + extra,
      effect: 'read',
      tables: [entity.table],
      properties: { [shape.argument]: shape.schema },
      required: shape.required ? [shape.argument] : [],
      output: shape.step.kind === 'row' ? row : { type: 'array', items: row },
      steps: [shape.step],
    }),
  }
}

function lookupShape(kit: EntityToolKit, label: { readonly column: string; readonly words: string }): LookupShape {
  const { entity } = kit
  const column = quoted(label.column)
  const select = kit.selectRows(entity.brief)
  const order = ` ORDER BY ${kit.id}`
  const words = label.words.toLowerCase()
  switch (entity.lookup) {
    case 'search':
      return {
        name: kit.name(kit.generic('search'), entity.plural),
        argument: 'query',
        schema: { type: 'string', minLength: 2, description: `Part of the ${words}.` },
        required: true,
        verb: kit.describedGeneric('search'),
        how: `whose ${words} contains a text`,
        step: {
          kind: 'rows',
          sql: `${select} WHERE INSTR(LOWER(${column}), LOWER(@query)) > 0${order}`,
          limit: mostRows,
        },
      }
    case 'exact':
      return {
        name: kit.name(kit.generic('get'), entity.noun, 'by', label.words),
        argument: label.column,
        schema: { type: 'string', minLength: 1, description: `Exact ${words}.` },
        required: true,
        verb: kit.describedGeneric('get'),
        how: `by its exact ${words}`,
        step: {
          kind: 'row',
          sql: `${select} WHERE ${column} = @${label.column} COLLATE NOCASE`,
          error: {
            code: identifier('snake', entity.noun, 'not found'),
            message: `No ${entity.noun} has the ${words} "{${label.column}}".`,
          },
        },
      }
    case 'list':
      return {
        name: kit.name(kit.generic('list'), entity.plural),
        argument: label.column,
        schema: { type: 'string', minLength: 1, description: `Only those whose ${words} contains this.` },
        required: false,
        verb: kit.describedGeneric('list'),
        how: `narrowed by ${words} if given`,
        step: {
          kind: 'rows',
          sql: `${select} WHERE @${label.column} IS NULL OR INSTR(LOWER(${column}), LOWER(@${label.column})) > 0${order}`,
          limit: mostRows,
        },
      }
  }
}

function getTool(kit: EntityToolKit): PlannedTool {
  const { entity } = kit
  const verb = kit.describedGeneric('get')
  return {
    entity: entity.key,
    rank: entity.brief ? 14 : 3,
    role: { kind: 'get' },
    tool: toolOf({
      name: kit.name(kit.generic('get'), entity.noun),
      summary: `${verb} one ${entity.noun} by id.`,
      description: `${verb} all details of one ${entity.noun} by id.`,
      effect: 'read',
      tables: [entity.table],
      properties: { [entity.idParameter]: kit.idSchema() },
      required: [entity.idParameter],
      output: kit.rowSchema(),
      steps: [kit.current()],
    }),
  }
}

function childrenTool(kit: EntityToolKit, target: string, column: string, owner: boolean): PlannedTool {
  const { entity, plan } = kit
  const parent = kit.targetOf(target)
  const { status } = entity
  const filter = entity.statusFilter && status !== null ? status.column : null
  const properties: Record<string, JsonSchema> = { [column]: kit.idSchema(parent) }
  let where = `WHERE ${quoted(column)} = @${column}`
  if (filter !== null) {
    properties[filter] = {
      type: 'string',
      enum: statusValues(entity),
      description: `Only those with this ${plan.style.statusWord}.`,
    }
    where += ` AND (@${filter} IS NULL OR ${quoted(filter)} = @${filter})`
  }
  const verb = kit.describedGeneric('list')
  const sentence = `${verb} the ${entity.plural} of one ${parent.noun}.`
  return {
    entity: entity.key,
    rank: owner ? 20 : 1,
    role: { kind: 'children', parent: target, argument: column, status: filter },
    tool: toolOf({
      name: kit.name(kit.generic('list'), entity.plural, plan.style.childJoin, parent.noun),
      summary: capitalized(sentence),
      description: capitalized(sentence),
      effect: 'read',
      tables: [entity.table],
      properties,
      required: [column],
      output: { type: 'array', items: kit.rowSchema() },
      steps: [{ kind: 'rows', sql: `${kit.selectRows()} ${where} ORDER BY ${kit.id}`, limit: mostRows }],
    }),
  }
}
