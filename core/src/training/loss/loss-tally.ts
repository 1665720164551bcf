import type { Loss } from '../../vocabulary/training-sample.ts'

/** Names that the field has for what losses report. */
const metricNames: Readonly<Record<string, string>> = { ratio: 'is_ratio', replayed_ratio: 'replay/is_ratio' }

/** Adds up what learners report, and takes the maxima from the loss itself. */
export class LossTally {
  #loss = 0
  #reports = 0
  readonly #sums = new Map<string, number>()
  readonly #maxima = new Map<string, number>()

  /** The same loss, with an ear on its maxima; a learner that runs it natively by name never calls it. */
  observe(loss: Loss): Loss {
    const { name, options, aggregation, needsReference, inertAtZeroAdvantage, drGrpoLength } = loss
    return {
      name,
      options,
      aggregation,
      needsReference,
      ...(inertAtZeroAdvantage === undefined ? {} : { inertAtZeroAdvantage }),
      ...(drGrpoLength === undefined ? {} : { drGrpoLength }),
      evaluate: (input) => {
        const output = loss.evaluate(input)
        for (const [name, value] of Object.entries(output.maxima ?? {})) {
          this.#maxima.set(name, Math.max(value, this.#maxima.get(name) ?? value))
        }
        return output
      },
    }
  }

  add({ loss, sums }: { readonly loss: number; readonly sums: Readonly<Record<string, number>> }): void {
    this.#loss += loss
    this.#reports += 1
    for (const [name, value] of Object.entries(sums)) this.#sums.set(name, value + (this.#sums.get(name) ?? 0))
  }

  /** Means over the trained actions, of replayed ones over those; the largest values; the loss per optimiser step. */
  metrics(): Record<string, number> {
    if (this.#reports === 0) return {}
    const count = this.#sums.get('count') ?? 0
    const means = [...this.#sums].flatMap(([name, sum]) => {
      const actions = name.startsWith('replayed_') ? (this.#sums.get('replayed_count') ?? 0) : count
      return name.endsWith('count') || actions === 0 ? [] : [[meanName(name), sum / actions] as const]
    })
    const largest = [...this.#maxima].map(([name, value]) => [maximumName(name), value] as const)
    return {
      loss: this.#loss / this.#reports,
      'optimizer/actions': count,
      ...Object.fromEntries(means),
      ...Object.fromEntries(largest),
    }
  }
}

function meanName(name: string): string {
  const known = metricNames[name]
  return known === undefined ? name : `${known}${known.includes('/') ? '_' : '/'}mean`
}

function maximumName(name: string): string {
  const known = metricNames[name]
  return known === undefined ? name : `${known}${known.includes('/') ? '_' : '/'}max`
}
