import type { Clock } from '../determinism/clock.ts'

/** What the learner's side of a training run does at the moment, for those who ask why nothing moves. */
export class LearnerActivity {
  readonly #clock: Clock
  #what = 'has not begun'
  #since: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#since = clock.now()
  }

  /** @param what - in words: "waits for the rollouts of step 3". */
  begin(what: string): void {
    this.#what = what
    this.#since = this.#clock.now()
  }

  describe(): string {
    return `the learner ${this.#what}, for ${Math.round((this.#clock.now() - this.#since) / 1000)} s`
  }
}
