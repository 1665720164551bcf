import type { RandomStream } from 'rlenv'
import { labelWords } from '../grammar/labels.ts'
import type { StateKey } from '../grammar/states.ts'
import type { ApplicationPlan, EntityPlan } from '../plan/application-plan.ts'
import { FieldValues } from './field-values.ts'

/** One row of a generated database, with what tasks need to talk about it. */
export interface EntityRow {
  readonly id: string | number
  readonly label: string | null
  readonly state: StateKey | null
  /** Stored values by column. */
  readonly cells: Readonly<Record<string, string | number>>
  /** Rows it points at, by key of the entity. */
  readonly refs: Readonly<Record<string, EntityRow>>
}

export type RowsByEntity = Readonly<Record<string, readonly EntityRow[]>>

const fewestRows = 30
const mostRows = 60
/** Children belong to the first rows of their owner, so that they cluster. */
const owningRows = 20

/** All rows of an environment. Draws only from the given stream. */
export function generateRows(plan: ApplicationPlan, random: RandomStream): RowsByEntity {
  const rows: Record<string, readonly EntityRow[]> = {}
  const labels = new Set<string>()
  for (const entity of plan.entities) {
    rows[entity.key] = new EntityRows(plan, entity, rows, labels, random.fork(entity.key)).generate()
  }
  return rows
}

class EntityRows {
  readonly #plan: ApplicationPlan
  readonly #entity: EntityPlan
  readonly #rows: RowsByEntity
  /** Labels of the whole environment: a name never means two things. */
  readonly #labels: Set<string>
  readonly #random: RandomStream

  constructor(
    plan: ApplicationPlan,
    entity: EntityPlan,
    rows: RowsByEntity,
    labels: Set<string>,
    random: RandomStream,
  ) {
    this.#plan = plan
    this.#entity = entity
    this.#rows = rows
    this.#labels = labels
    this.#random = random
  }

  generate(): readonly EntityRow[] {
    const count = fewestRows + this.#random.int(mostRows - fewestRows + 1)
    const owners = this.#owners(count)
    const values = new FieldValues(this.#random, this.#plan.clock)
    const rows: EntityRow[] = []
    let number = this.#entity.idBase
    for (let index = 0; index < count; index++) {
      number += 1 + this.#random.int(60)
      rows.push(this.#row(number, owners[index], values))
    }
    return rows
  }

  /** The owner of each row, shuffled: clusters of 1 to 12 rows per owner. */
  #owners(count: number): readonly EntityRow[] {
    const first = this.#entity.refs[0]
    if (first === undefined) return []
    const parents = this.#random.shuffle((this.#rows[first.target] ?? []).slice(0, owningRows))
    const owners: EntityRow[] = []
    for (let at = 0; owners.length < count; at++) {
      const parent = parents[at % parents.length] as EntityRow
      const size = Math.min(1 + this.#random.int(at < 3 ? 12 : 6), count - owners.length)
      for (let child = 0; child < size; child++) owners.push(parent)
    }
    return this.#random.shuffle(owners)
  }

  #row(number: number, owner: EntityRow | undefined, values: FieldValues): EntityRow {
    const entity = this.#entity
    const id = this.#plan.style.ids === 'integer' ? number : `${entity.prefix}${number}`
    const label = entity.label === null ? null : this.#label(entity.label.kind)
    const state = entity.status === null ? null : this.#random.pick(entity.blueprint.states)
    const cells: Record<string, string | number> = { [entity.idColumn]: id }
    const refs: Record<string, EntityRow> = {}
    if (entity.label !== null && label !== null) cells[entity.label.column] = label
    for (const [index, ref] of entity.refs.entries()) {
      const target = index === 0 && owner !== undefined ? owner : this.#random.pick(this.#rows[ref.target] ?? [])
      refs[ref.target] = target
      cells[ref.column] = target.id
    }
    if (entity.status !== null && state !== null) cells[entity.status.column] = entity.status.stored[state] ?? state
    for (const field of entity.fields) cells[field.column] = values.draw(field, label)
    return { id, label, state, cells, refs }
  }

  #label(kind: Exclude<EntityPlan['label'], null>['kind']): string {
    return freshLabel(kind, this.#entity.prefix, this.#labels, this.#random)
  }
}

/** A label that is not in the set yet; adds it. */
export function freshLabel(
  kind: NonNullable<EntityPlan['label']>['kind'],
  prefix: string,
  taken: Set<string>,
  random: RandomStream,
): string {
  for (;;) {
    const label =
      kind === 'code'
        ? `${prefix}-${1000 + random.int(9000)}`
        : labelWords[kind].map((half) => random.pick(half)).join(' ')
    if (taken.has(label)) continue
    taken.add(label)
    return label
  }
}
