import type { Policy } from '../../hooks/roles.ts'
import type { Publication, Shard } from './shard.ts'

/** Keeps the shards' copies of the run's policy as the policy is. */
export class Publisher {
  readonly #policy: Policy
  #publication: Publication | null = null

  constructor(policy: Policy) {
    this.#policy = policy
  }

  /** Whether shards have a copy of this policy. */
  covers(policy: Policy): boolean {
    return policy === this.#policy && policy.snapshot !== undefined && policy.restore !== undefined
  }

  /** What the copies are to have; null for an attempt whose policy is asked over the channel. */
  current(ownPolicy: boolean): Publication | null {
    return ownPolicy ? this.#publication : null
  }

  /** Looks at the weights themselves: what was loaded from a checkpoint may bear a version that was seen before. */
  refresh(policy: Policy, shards: readonly Shard[]): void {
    if (!this.covers(policy)) return
    const snapshot = this.#policy.snapshot?.()
    if (snapshot === undefined) return
    const { version, state } = snapshot
    const known = this.#publication
    if (known !== null && known.version === version && Buffer.compare(known.state, state) === 0) return
    const publication = { name: policy.name, version, state: shared(state) }
    this.#publication = publication
    for (const shard of shards) shard.publish(publication)
  }

  /** Publishes what was published in the middle of a collection. */
  follow(shards: readonly Shard[]): void {
    if (this.#publication === null || this.#publication.version === this.#policy.policyVersion) return
    this.refresh(this.#policy, shards)
  }
}

/** One copy for all threads; a process gets its own when it is sent. */
function shared(state: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(new SharedArrayBuffer(state.byteLength))
  bytes.set(state)
  return bytes
}
