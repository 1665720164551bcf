import { RlenvError } from '../errors/rlenv-error.ts'
import type { JudgedTrajectory } from '../vocabulary/trajectory.ts'

/** Counts rollouts that say nothing about the policy (environment faults and unscored ones), by cause. */
export class FailureTally {
  #rollouts = 0
  #failures = 0
  readonly #causes = new Map<string, { count: number; example: string }>()

  add({ outcome }: JudgedTrajectory): void {
    this.#rollouts++
    if (outcome.kind !== 'environment_fault' && outcome.kind !== 'unscored') return
    this.#failures++
    const cause = `${outcome.kind}/${outcome.code}`
    const known = this.#causes.get(cause)
    if (known === undefined) this.#causes.set(cause, { count: 1, example: outcome.message })
    else known.count++
  }

  /** 0 to 1; 0 when nothing was counted. */
  get share(): number {
    return this.#rollouts === 0 ? 0 : this.#failures / this.#rollouts
  }

  /** Counts by cause, for example `{ 'unscored/verifier_timeout': 3 }`, the most frequent first. */
  get causes(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#sorted().map(([cause, { count }]) => [cause, count]))
  }

  /**
   * @param maxShare - 0 to 1.
   * @throws {RlenvError} RLENV_FAILURE_SHARE with counts by cause when a larger share failed.
   */
  assertBelow(maxShare: number): void {
    if (this.share <= maxShare) return
    const causes = this.#sorted().map(([cause, { count, example }]) => `${count} ${cause} (${example})`)
    throw new RlenvError(
      `${this.#failures} of ${this.#rollouts} rollouts failed or stayed unscored, more than the share of ${maxShare} ` +
        `that is allowed: ${causes.join('; ')}`,
      { code: 'RLENV_FAILURE_SHARE', fix: 'Repair the most frequent cause, or raise maxFailureShare.' },
    )
  }

  #sorted() {
    return [...this.#causes].sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1))
  }
}
