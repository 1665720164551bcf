import type { Json, RandomStream, TaskSampler } from 'rlenv'
import { readState, writeState } from './sampler-state.ts'

/** Passes over all tasks in a fresh order each; a draw that reaches the end goes on in the next pass. */
export class ShuffledPasses implements TaskSampler {
  readonly #ids: readonly string[]
  readonly #random: RandomStream
  #remaining: string[] = []

  constructor(ids: readonly string[], random: RandomStream) {
    this.#ids = ids
    this.#random = random
  }

  draw(count: number): readonly string[] {
    return Array.from({ length: count }, () => {
      if (this.#remaining.length === 0) this.#remaining = this.#random.shuffle(this.#ids)
      return this.#remaining.shift() ?? ''
    })
  }

  observe(): void {}

  state(): Json {
    return writeState({ random: this.#random.state(), remaining: this.#remaining })
  }

  restore(state: Json): void {
    const { random, remaining } = readState(state, this.#ids)
    this.#random.restore(random)
    this.#remaining = [...remaining]
  }
}
