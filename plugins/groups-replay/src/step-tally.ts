import type { GroupsContext } from 'rlenv'

/** What replay did in one training step, over all of its rounds. */
export class StepTally {
  #step = -1
  #groups = 0
  #flat = 0
  #ages: number[] = []

  /** Begins anew with every step, and goes on with every further round of it. */
  begin(step: number): void {
    if (step === this.#step) return
    this.#step = step
    this.#groups = 0
    this.#flat = 0
    this.#ages = []
  }

  /** @param age - of the stored member in policy versions; null when the group got none. */
  count({ wasFlat, age }: { readonly wasFlat: boolean; readonly age: number | null }): void {
    this.#groups += 1
    this.#flat += wasFlat ? 1 : 0
    if (age !== null) this.#ages.push(age)
  }

  report(size: number, { metric }: Pick<GroupsContext, 'metric'>): void {
    const swaps = this.#ages.length
    const share = (part: number) => (this.#groups === 0 ? 0 : part / this.#groups)
    metric('replay/size', size, 'last')
    metric('replay/swaps', swaps, 'last')
    metric('replay/swap_rate', share(swaps), 'last')
    metric('replay/flat_before', share(this.#flat), 'last')
    metric('replay/flat_after', share(this.#flat - swaps), 'last')
    if (swaps === 0) return
    metric('replay/age', this.#ages.reduce((sum, age) => sum + age, 0) / swaps, 'last')
    metric('replay/age_max', Math.max(...this.#ages), 'last')
  }
}
