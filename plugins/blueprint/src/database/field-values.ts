import type { RandomStream } from 'rlenv'
import type { FieldType } from '../grammar/fields.ts'
import type { FieldPlan } from '../plan/application-plan.ts'

const dayMs = 86_400_000

/** Draws values of fields. Dates are `YYYY-MM-DD`, times `HH:MM`, money has two decimals. */
export class FieldValues {
  readonly #random: RandomStream
  readonly #clockMs: number

  constructor(random: RandomStream, clock: string) {
    this.#random = random
    this.#clockMs = Date.parse(clock)
  }

  /** @param label - what the row is called; e-mail addresses are made from it. */
  draw(field: FieldPlan, label: string | null): string | number {
    const { type } = field
    switch (type.kind) {
      case 'money':
        return Math.round((type.low + this.#random.real() * (type.high - type.low)) * 20) / 20
      case 'integer':
        return type.low + this.#random.int(type.high - type.low + 1)
      case 'choice':
        return this.#random.pick(field.values)
      default:
        return this.#text(type, label)
    }
  }

  #text(type: Exclude<FieldType, { readonly kind: 'money' | 'integer' | 'choice' }>, label: string | null): string {
    switch (type.kind) {
      case 'date':
        return this.#day(type.fromDay, type.toDay)
      case 'stamp':
        return this.#day(-400, -1)
      case 'time':
        return `${String(8 + this.#random.int(12)).padStart(2, '0')}:${this.#random.pick(['00', '15', '30', '45'])}`
      case 'email':
        return this.#email(label)
      case 'phone':
        return `+${this.#random.pick(['1', '33', '44', '49'])}-${200 + this.#random.int(700)}-${1000 + this.#random.int(9000)}`
      case 'phrase':
        return this.#random.pick(type.phrases)
    }
  }

  #day(fromDay: number, toDay: number): string {
    const day = fromDay + this.#random.int(toDay - fromDay + 1)
    return new Date(this.#clockMs + day * dayMs).toISOString().slice(0, 10)
  }

  #email(label: string | null): string {
    const user = (label ?? 'desk').toLowerCase().replaceAll(/[^a-z]+/g, '.')
    const host = this.#random.pick(['mail', 'post', 'inbox', 'letters'])
    return `${user}${this.#random.int(90) + 10}@${host}.example`
  }
}
