import type { RandomStream } from 'rlenv'
import { type FieldType, fieldDictionary } from '../grammar/fields.ts'
import { type StateKey, stateDictionary } from '../grammar/states.ts'
import { type GenericVerb, type VerbForm, verbDictionary } from '../grammar/verbs.ts'
import type { ActPlan, EntityPlan, FieldPlan } from '../plan/application-plan.ts'
import { plural, storedForm } from '../plan/naming.ts'
import { actForms } from '../plan/plan-entity.ts'

/**
 * The words of one task. For each concept it takes the environment's own word with probability `lexSame` and otherwise any
 * synonym, the own word among them; within a task a concept keeps its word.
 */
export class Wording {
  readonly random: RandomStream
  readonly #lexSame: number
  readonly #chosen = new Map<string, string>()

  constructor(random: RandomStream, lexSame: number) {
    this.random = random
    this.#lexSame = lexSame
  }

  noun(entity: EntityPlan): string {
    return this.#choose(`noun:${entity.key}`, entity.noun, entity.blueprint.nouns)
  }

  nouns(entity: EntityPlan): string {
    return plural(this.noun(entity))
  }

  state(entity: EntityPlan, state: StateKey): string {
    const forms = stateDictionary[state]
    const stored = entity.status?.stored[state]
    return this.#choose(`state:${entity.key}:${state}`, ownForm(forms, stored), forms)
  }

  field(field: FieldPlan): string {
    return this.#choose(`field:${field.key}`, field.words, fieldDictionary[field.key].names)
  }

  /** A value as people write it. */
  value(field: FieldPlan, stored: string | number): string {
    const type: FieldType = field.type
    if (type.kind === 'phrase') return `"${stored}"`
    if (type.kind !== 'choice') return String(stored)
    const forms = type.values[field.values.indexOf(String(stored))] ?? [String(stored)]
    return this.#choose(`value:${field.key}:${stored}`, ownForm(forms, String(stored)), forms)
  }

  act(entity: EntityPlan, act: ActPlan): VerbForm {
    return this.verb(`${entity.key}:${act.blueprint.verb}`, act.form, actForms(act.blueprint))
  }

  generic(verb: GenericVerb, own: string): string {
    return this.#choose(
      `generic:${verb}`,
      own,
      verbDictionary.generic[verb].map((form) => form.words),
    )
  }

  verb(key: string, own: VerbForm, forms: readonly VerbForm[]): VerbForm {
    const words = this.#choose(
      `verb:${key}`,
      own.words,
      forms.map((form) => form.words),
    )
    return forms.find((form) => form.words === words) ?? own
  }

  #choose(key: string, own: string, forms: readonly string[]): string {
    const before = this.#chosen.get(key)
    if (before !== undefined) return before
    const word = this.random.chance(this.#lexSame) || forms.length === 0 ? own : this.random.pick(forms)
    this.#chosen.set(key, word)
    return word
  }
}

function ownForm(forms: readonly string[], stored: string | undefined): string {
  return forms.find((form) => storedForm(form) === stored) ?? forms[0] ?? String(stored)
}
