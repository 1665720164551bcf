import type { ActionBlueprint, EntityBlueprint } from '../grammar/domain.ts'
import type { FieldKey, FieldType } from '../grammar/fields.ts'
import type { LabelKind } from '../grammar/labels.ts'
import type { StateKey } from '../grammar/states.ts'
import type { CreateVerb, GenericVerb, VerbForm } from '../grammar/verbs.ts'
import type { LetterStyle } from './naming.ts'

/** How one environment spells its identifiers. */
export interface Style {
  readonly letters: LetterStyle
  readonly ids: 'integer' | 'text'
  /** Key columns are called `id` or `<noun>_id`. */
  readonly keyColumn: 'bare' | 'noun'
  /** Tools call the row they work on `id` or `<noun>_id`. */
  readonly idParameter: 'bare' | 'noun'
  readonly nameOrder: 'verb-noun' | 'noun-verb'
  readonly statusWord: string
  /** The form of each generic verb that tool names use. */
  readonly generic: Readonly<Record<GenericVerb, string>>
  readonly childJoin: 'by' | 'for' | 'of'
  /** What tools call the number that an adjustment or a transfer moves. */
  readonly amountWord: 'amount' | 'value' | 'number'
}

export interface FieldPlan {
  readonly key: FieldKey
  /** The environment's words for it, for example "due date". */
  readonly words: string
  readonly column: string
  readonly type: FieldType
  /** For a choice: the stored form of each value, in the dictionary's order. */
  readonly values: readonly string[]
}

export interface RefPlan {
  /** Key of the entity it points at. */
  readonly target: string
  /** Also the name of the tool parameter that carries the target's id. */
  readonly column: string
}

export interface ActPlan {
  readonly blueprint: ActionBlueprint
  readonly form: VerbForm
}

export interface StatusPlan {
  readonly column: string
  readonly stored: Readonly<Partial<Record<StateKey, string>>>
}

export interface EntityPlan {
  readonly key: string
  readonly blueprint: EntityBlueprint
  /** The environment's noun, for example "purchase order". */
  readonly noun: string
  readonly plural: string
  readonly table: string
  readonly idColumn: string
  readonly idParameter: string
  /** Three capitals, unique in the environment: text ids and codes start with them. */
  readonly prefix: string
  /** Ids of this table start above it; no two tables share a range. */
  readonly idBase: number
  readonly label: { readonly kind: Exclude<LabelKind, 'none'>; readonly column: string; readonly words: string } | null
  readonly fields: readonly FieldPlan[]
  readonly refs: readonly RefPlan[]
  readonly status: StatusPlan | null
  readonly acts: readonly ActPlan[]
  readonly create: { readonly verb: CreateVerb; readonly form: VerbForm } | null
  readonly deletable: boolean
  readonly lookup: 'search' | 'exact' | 'list'
  /** Whether its look-up returns ids and labels only. */
  readonly brief: boolean
  readonly update: 'optional' | 'setters' | 'field-value'
  /** Whether lists of it can be narrowed by status. */
  readonly statusFilter: boolean
}

/** Everything that makes one environment differ from others of its domain. */
export interface ApplicationPlan {
  readonly scenarioId: string
  readonly seed: number
  readonly domain: string
  readonly style: Style
  /** Parents before children. */
  readonly entities: readonly EntityPlan[]
  /** The instant at which the environment stands still, ISO 8601. */
  readonly clock: string
}

/** @throws {Error} when the plan has no such entity. */
export function entityOf(plan: ApplicationPlan, key: string): EntityPlan {
  const found = plan.entities.find((entity) => entity.key === key)
  if (found === undefined) throw new Error(`no entity "${key}" in the plan of ${plan.scenarioId}`)
  return found
}

/** Every column of an entity's table in order: id, label, references, status, fields. */
export function columnsOf(entity: EntityPlan): readonly string[] {
  return [
    entity.idColumn,
    ...(entity.label === null ? [] : [entity.label.column]),
    ...entity.refs.map((ref) => ref.column),
    ...(entity.status === null ? [] : [entity.status.column]),
    ...entity.fields.map((field) => field.column),
  ]
}
