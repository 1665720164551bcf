import type { Json, RandomStream, TaskSampler } from 'rlenv'
import { readState, writeState } from './sampler-state.ts'

/** Every draw is independent of the ones before, so a task may come twice before another comes once. */
export class IndependentDraws implements TaskSampler {
  readonly #ids: readonly string[]
  readonly #random: RandomStream

  constructor(ids: readonly string[], random: RandomStream) {
    this.#ids = ids
    this.#random = random
  }

  draw(count: number): readonly string[] {
    return Array.from({ length: count }, () => this.#random.pick(this.#ids))
  }

  observe(): void {}

  state(): Json {
    return writeState({ random: this.#random.state(), remaining: [] })
  }

  restore(state: Json): void {
    this.#random.restore(readState(state, this.#ids).random)
  }
}
