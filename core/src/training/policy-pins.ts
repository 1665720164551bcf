import type { Policy, PolicySnapshot } from '../hooks/roles.ts'

/** The policy after so many finished steps. */
export interface PinnedSnapshot extends PolicySnapshot {
  readonly finishedSteps: number
}

/**
 * Policies of past steps, so that rollouts that run while the learner learns sample with one version from their first to
 * their last word. A policy that cannot be copied is used as it is at the moment.
 */
export class PolicyPins {
  readonly #live: Policy
  readonly #copy: Policy | null
  readonly #pinned = new Map<number, PinnedSnapshot>()

  /** @param copy - built from the same configuration, to sample with past snapshots; null when there is none. */
  constructor(live: Policy, copy: Policy | null) {
    this.#live = live
    this.#copy = copy
  }

  /** Oldest first. */
  get pinned(): readonly PinnedSnapshot[] {
    return [...this.#pinned.values()].sort((a, b) => a.finishedSteps - b.finishedSteps)
  }

  /** Keeps the policy as it is after so many finished steps, and none from before `oldest`. */
  pin(finishedSteps: number, oldest: number): void {
    if (this.#copy === null) return
    const snapshot = this.#live.snapshot?.()
    if (snapshot !== undefined) this.#pinned.set(finishedSteps, { ...snapshot, finishedSteps })
    for (const key of this.#pinned.keys()) if (key < oldest) this.#pinned.delete(key)
  }

  /** Takes over what a checkpoint kept. */
  restore(pinned: readonly PinnedSnapshot[]): void {
    this.#pinned.clear()
    for (const one of pinned) this.#pinned.set(one.finishedSteps, one)
  }

  /** The policy as it was after so many finished steps. One at a time: the next call changes what the last one gave. */
  at(finishedSteps: number): Policy {
    const snapshot = this.#pinned.get(finishedSteps)
    if (this.#copy === null || snapshot === undefined) return this.#live
    this.#copy.restore?.(snapshot)
    return this.#copy
  }
}
