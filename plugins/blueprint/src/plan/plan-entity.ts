import type { RandomStream } from 'rlenv'
import type { ActionBlueprint, EntityBlueprint } from '../grammar/domain.ts'
import { type FieldBlueprint, type FieldKey, fieldDictionary } from '../grammar/fields.ts'
import type { LabelKind } from '../grammar/labels.ts'
import { type StateKey, stateDictionary } from '../grammar/states.ts'
import { type VerbForm, verbDictionary } from '../grammar/verbs.ts'
import type { EntityPlan, FieldPlan, StatusPlan, Style } from './application-plan.ts'
import { identifier, plural, storedForm } from './naming.ts'

export interface EntityRequest {
  readonly blueprint: EntityBlueprint
  readonly nouns: readonly string[]
  readonly noun: string
  readonly style: Style
  readonly random: RandomStream
  /** Noun of an entity that was planned before, by key. */
  readonly nounOf: (key: string) => string
  readonly prefix: string
  readonly idBase: number
  /** Whether another entity refers to it. */
  readonly referenced: boolean
}

const labelColumns: Readonly<Record<Exclude<LabelKind, 'none'>, readonly string[]>> = {
  person: ['name', 'full name'],
  product: ['name', 'product name'],
  place: ['name', 'place name'],
  title: ['title', 'name'],
  company: ['name', 'company name'],
  device: ['name', 'display name'],
  project: ['name', 'title'],
  room: ['name', 'room name'],
  team: ['name', 'team name'],
  course: ['title', 'course name'],
  code: ['code', 'reference'],
}

/** Chooses words, identifiers and tool shapes of one entity. */
export function planEntity(request: EntityRequest): EntityPlan {
  const { blueprint, noun, style, random } = request
  const columns = new Set<string>()
  const idColumn = style.keyColumn === 'bare' ? 'id' : identifier(style.letters, noun, 'id')
  columns.add(idColumn)
  const refs = blueprint.refs.map((target) => {
    const column = identifier(style.letters, request.nounOf(target).replaceAll('_', ' '), 'id')
    columns.add(column)
    return { target, column }
  })
  const label = planLabel(request, columns)
  const status = planStatus(blueprint.states, style, random, columns)
  const fieldKeys: FieldKey[] = [...blueprint.fields]
  if (blueprint.create !== null && random.chance(0.3)) fieldKeys.push('created')
  const fields = fieldKeys.map((key) => planField(key, style, random, columns))
  return {
    key: blueprint.key,
    blueprint: { ...blueprint, nouns: request.nouns },
    noun,
    plural: plural(noun),
    table: identifier(style.letters, plural(noun)),
    idColumn,
    idParameter: style.idParameter === 'bare' ? 'id' : identifier(style.letters, noun, 'id'),
    prefix: request.prefix,
    idBase: request.idBase,
    label,
    fields,
    refs,
    status,
    acts: blueprint.acts.map((act) => ({ blueprint: act, form: random.pick(actForms(act)) })),
    create: planCreate(blueprint, noun, random),
    deletable: !request.referenced,
    lookup: random.pick(['search', 'search', 'exact', 'exact', 'list']),
    brief: random.chance(0.35),
    update: random.pick(['optional', 'setters', 'field-value']),
    statusFilter: status !== null && random.chance(0.5),
  }
}

/** Children that are only known by a code lose it in some environments, so that they must be reached through their owner. */
function planLabel(request: EntityRequest, columns: Set<string>): EntityPlan['label'] {
  const { blueprint, style, random } = request
  const kind = blueprint.label
  const coded = kind === 'code' && blueprint.refs.length > 0
  const loses = random.chance(0.4)
  if (kind === 'none' || (coded && loses)) return null
  const words = pickFree(labelColumns[kind], style, random, columns)
  return { kind, words, column: identifier(style.letters, words) }
}

function planStatus(
  states: readonly StateKey[],
  style: Style,
  random: RandomStream,
  columns: Set<string>,
): StatusPlan | null {
  if (states.length === 0) return null
  const column = identifier(style.letters, style.statusWord)
  columns.add(column)
  const stored = Object.fromEntries(states.map((state) => [state, storedForm(random.pick(stateDictionary[state]))]))
  return { column, stored }
}

function planField(key: FieldKey, style: Style, random: RandomStream, columns: Set<string>): FieldPlan {
  const blueprint: FieldBlueprint = fieldDictionary[key]
  const words = pickFree(blueprint.names, style, random, columns)
  const { type } = blueprint
  const values = type.kind === 'choice' ? type.values.map((forms) => storedForm(random.pick(forms))) : []
  return { key, words, column: identifier(style.letters, words), type, values }
}

function pickFree(names: readonly string[], style: Style, random: RandomStream, columns: Set<string>): string {
  const free = names.filter((name) => !columns.has(identifier(style.letters, name)))
  const name = random.pick(free.length > 0 ? free : names)
  columns.add(identifier(style.letters, name))
  return name
}

/** A create verb that repeats its noun ("book a booking") is passed over when there is another. */
function planCreate(blueprint: EntityBlueprint, noun: string, random: RandomStream): EntityPlan['create'] {
  if (blueprint.create === null) return null
  const forms = verbDictionary.create[blueprint.create]
  const clean = forms.filter((form) => !sharesStem(form.words, noun))
  return { verb: blueprint.create, form: random.pick(clean.length > 0 ? clean : forms) }
}

/** Whether two phrases have a word with the same first four letters. */
export function sharesStem(left: string, right: string): boolean {
  const stems = new Set(
    left
      .toLowerCase()
      .split(' ')
      .map((word) => word.slice(0, 4)),
  )
  return right
    .toLowerCase()
    .split(' ')
    .some((word) => word.length > 2 && stems.has(word.slice(0, 4)))
}

/** Every form of an act's verb. */
export function actForms(act: ActionBlueprint): readonly VerbForm[] {
  switch (act.kind) {
    case 'status':
      return verbDictionary.status[act.verb]
    case 'adjust':
      return verbDictionary.adjust[act.verb]
    case 'assign':
      return verbDictionary.assign[act.verb]
    case 'transfer':
      return verbDictionary.transfer[act.verb]
  }
}
