import type { FieldKey } from './fields.ts'
import type { LabelKind } from './labels.ts'
import type { StateKey } from './states.ts'
import type { AdjustVerb, AssignVerb, CreateVerb, StatusVerb, TransferVerb } from './verbs.ts'

/** Something users do with one row of an entity, beyond creating, editing and deleting it. */
export type ActionBlueprint =
  /** Moves a row from one of the states `from` to the state `to`. */
  | {
      readonly kind: 'status'
      readonly verb: StatusVerb
      readonly from: readonly StateKey[]
      readonly to: StateKey
    }
  /** Adds to a number, or takes from it; the verb says which. */
  | { readonly kind: 'adjust'; readonly verb: AdjustVerb; readonly field: FieldKey }
  /** Points the row at another row of the entity `ref`. */
  | { readonly kind: 'assign'; readonly verb: AssignVerb; readonly ref: string }
  /** Moves an amount of `field` from one row to another. */
  | { readonly kind: 'transfer'; readonly verb: TransferVerb; readonly field: FieldKey }

/** One kind of thing that an application keeps. */
export interface EntityBlueprint {
  readonly key: string
  /** Synonyms; no two entities of a domain share one. */
  readonly nouns: readonly string[]
  readonly label: LabelKind
  readonly fields: readonly FieldKey[]
  /** Keys of the entities it belongs to; the first is its owner, through which people find it. */
  readonly refs: readonly string[]
  /** In order of a row's life; the first is what a new row starts in. */
  readonly states: readonly StateKey[]
  readonly acts: readonly ActionBlueprint[]
  /** Null: rows cannot be created by users. */
  readonly create: CreateVerb | null
  /** Whether an application of this domain may lack it. */
  readonly optional: boolean
}

/** A family of applications. */
export interface DomainBlueprint {
  readonly key: string
  /** Most general first. */
  readonly taxonomy: readonly string[]
  readonly entities: readonly EntityBlueprint[]
}

type EntityTraits = Partial<Omit<EntityBlueprint, 'key' | 'nouns' | 'label'>>

/** @param nouns - synonyms separated by `|`; the first one is the usual word. */
export function entity(key: string, nouns: string, label: LabelKind, traits: EntityTraits): EntityBlueprint {
  return {
    key,
    nouns: nouns.split('|'),
    label,
    fields: [],
    refs: [],
    states: [],
    acts: [],
    create: null,
    optional: false,
    ...traits,
  }
}

export function status(verb: StatusVerb, from: StateKey | readonly StateKey[], to: StateKey): ActionBlueprint {
  return { kind: 'status', verb, from: typeof from === 'string' ? [from] : from, to }
}

export function adjust(verb: AdjustVerb, field: FieldKey): ActionBlueprint {
  return { kind: 'adjust', verb, field }
}

export function assign(verb: AssignVerb, ref: string): ActionBlueprint {
  return { kind: 'assign', verb, ref }
}

export function transfer(verb: TransferVerb, field: FieldKey): ActionBlueprint {
  return { kind: 'transfer', verb, field }
}
