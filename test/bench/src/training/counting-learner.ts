import type { Learner } from 'rlenv'

/** Takes every batch and changes nothing but its version, so that a benchmark measures what is around a learner. */
export class CountingLearner implements Learner {
  readonly name = 'counting'
  readonly policy = null
  policyVersion = 0
  #actions = 0

  async accumulate(samples: Parameters<Learner['accumulate']>[0]) {
    const count = samples.reduce((sum, { sample }) => sum + sample.actions.length, 0)
    this.#actions += count
    return { loss: 0, sums: { count } }
  }

  async step() {
    const applied = this.#actions > 0
    this.#actions = 0
    return { gradNorm: 0, applied, reason: null }
  }

  async publish(): Promise<number> {
    this.policyVersion += 1
    return this.policyVersion
  }

  async save(): Promise<void> {}
  async load(): Promise<void> {}
  async close(): Promise<void> {}
}
