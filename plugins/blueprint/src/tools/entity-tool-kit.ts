import type { JsonSchema, RandomStream, SqlStep, ToolErrorTemplate } from 'rlenv'
import { type GenericVerb, verbDictionary } from '../grammar/verbs.ts'
import { type ApplicationPlan, columnsOf, type EntityPlan, entityOf, type FieldPlan } from '../plan/application-plan.ts'
import { capitalized, identifier, quoted, sqlText } from '../plan/naming.ts'

/** Names, schemas and SQL that the tools of one entity share. */
export class EntityToolKit {
  readonly plan: ApplicationPlan
  readonly entity: EntityPlan
  readonly random: RandomStream

  constructor(plan: ApplicationPlan, entity: EntityPlan, random: RandomStream) {
    this.plan = plan
    this.entity = entity
    this.random = random
  }

  get table(): string {
    return quoted(this.entity.table)
  }

  get id(): string {
    return quoted(this.entity.idColumn)
  }

  /** `cancel_order` or `order_cancel`, in the environment's letters. */
  name(verb: string, noun: string, ...rest: readonly string[]): string {
    const parts = this.plan.style.nameOrder === 'verb-noun' ? [verb, noun] : [noun, verb]
    return identifier(this.plan.style.letters, ...parts, ...rest)
  }

  identifier(...parts: readonly string[]): string {
    return identifier(this.plan.style.letters, ...parts)
  }

  generic(verb: GenericVerb): string {
    return this.plan.style.generic[verb]
  }

  /** A verb for a description: half of the time chosen without regard to the tool's name. */
  described<Form extends { readonly words: string }>(inName: Form, forms: readonly Form[]): Form {
    return this.random.chance(0.5) ? inName : this.random.pick(forms)
  }

  describedGeneric(verb: GenericVerb): string {
    const inName = { words: this.generic(verb), preposition: '' }
    return capitalized(this.described(inName, verbDictionary.generic[verb]).words)
  }

  idSchema(entity: EntityPlan = this.entity): JsonSchema {
    const type = this.plan.style.ids === 'integer' ? 'integer' : 'string'
    return { type, description: `Id of the ${entity.noun}.` }
  }

  /** Every column of a row, or id and label only. */
  rowSchema(brief = false): JsonSchema {
    const properties: Record<string, JsonSchema> = {}
    const { entity } = this
    const idType = this.plan.style.ids === 'integer' ? 'integer' : 'string'
    properties[entity.idColumn] = { type: idType }
    if (entity.label !== null) properties[entity.label.column] = { type: 'string' }
    if (!brief) {
      for (const ref of entity.refs) properties[ref.column] = { type: idType }
      if (entity.status !== null) properties[entity.status.column] = { type: 'string', enum: statusValues(entity) }
      for (const field of entity.fields) properties[field.column] = fieldSchema(field)
    }
    return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
  }

  /** `SELECT … FROM …` of whole rows, or of ids and labels. */
  selectRows(brief = false): string {
    const { entity } = this
    const columns = brief && entity.label !== null ? [entity.idColumn, entity.label.column] : columnsOf(entity)
    return `SELECT ${columns.map(quoted).join(', ')} FROM ${this.table}`
  }

  /** Fails unless the row exists. */
  exists(parameter: string = this.entity.idParameter, entity: EntityPlan = this.entity): SqlStep {
    const sql = `SELECT ${quoted(entity.idColumn)} FROM ${quoted(entity.table)} WHERE ${quoted(entity.idColumn)} = @${parameter}`
    return { kind: 'row', sql, error: notFound(entity, parameter) }
  }

  /** The row as it is now; the result of most writes. */
  current(parameter: string = this.entity.idParameter): SqlStep {
    const sql = `${this.selectRows()} WHERE ${this.id} = @${parameter}`
    return { kind: 'row', sql, error: notFound(this.entity, parameter) }
  }

  targetOf(ref: string): EntityPlan {
    return entityOf(this.plan, ref)
  }
}

export function notFound(entity: EntityPlan, parameter: string): ToolErrorTemplate {
  return {
    code: identifier('snake', entity.noun, 'not found'),
    message: `No ${entity.noun} has the id {${parameter}}.`,
  }
}

export function statusValues(entity: EntityPlan): readonly string[] {
  return Object.values(entity.status?.stored ?? {})
}

/** What a field holds, as results show it and arguments give it. */
function fieldSchema(field: FieldPlan): JsonSchema {
  switch (field.type.kind) {
    case 'money':
      return { type: 'number', minimum: 0 }
    case 'integer':
      return { type: 'integer', minimum: 0 }
    case 'choice':
      return { type: 'string', enum: field.values }
    case 'date':
    case 'stamp':
      return { type: 'string', format: 'date' }
    default:
      return { type: 'string', minLength: 1 }
  }
}

/** The same with a word on what it is for. */
export function fieldArgument(field: FieldPlan): JsonSchema {
  const hint = field.type.kind === 'date' ? ', YYYY-MM-DD' : field.type.kind === 'time' ? ', HH:MM' : ''
  return { ...fieldSchema(field), description: `${capitalized(field.words)}${hint}.` }
}

/** A step that fails unless the condition holds. */
export function guard(condition: string, error: ToolErrorTemplate): SqlStep {
  return { kind: 'row', sql: `SELECT 1 AS "ok" WHERE ${condition}`, error }
}

export function sqlList(values: readonly string[]): string {
  return values.map(sqlText).join(', ')
}
