import type { Policy } from '../../hooks/roles.ts'
import type { Publication, Shard } from './shard.ts'

/** Keeps the shards' copies of the run's policies as the policies are. */
export class Publisher {
  /** Of the policy that the configuration builds. */
  readonly #name: string
  readonly #publications = new Map<Policy, Publication>()

  /** @param policy - the run's own. */
  constructor(policy: Policy) {
    this.#name = policy.name
  }

  /** Whether shards can have a copy of this policy, or of the learner's at an earlier time. */
  covers(policy: Policy): boolean {
    return policy.name === this.#name && policy.snapshot !== undefined && policy.restore !== undefined
  }

  /** What its copies are to have; null for a policy that is asked over the channel. */
  publicationOf(policy: Policy): Publication | null {
    return this.#publications.get(policy) ?? null
  }

  /** Looks at the weights themselves: what was loaded from a checkpoint may bear a version that was seen before. */
  refresh(policy: Policy, shards: readonly Shard[]): void {
    const snapshot = this.covers(policy) ? policy.snapshot?.() : undefined
    if (snapshot === undefined) return
    const { version, state } = snapshot
    const known = this.#publications.get(policy)
    if (known?.version === version && Buffer.compare(known.state, state) === 0) return
    const id = known?.id ?? this.#publications.size
    const publication = { id, name: policy.name, version, state: shared(state) }
    this.#publications.set(policy, publication)
    for (const shard of shards) shard.renew(publication)
  }

  /** Takes over what a policy published in the middle of a collection. */
  follow(policy: Policy, shards: readonly Shard[]): void {
    if (this.publicationOf(policy)?.version !== policy.policyVersion) this.refresh(policy, shards)
  }
}

/** One copy for all threads; a process gets its own when it is sent. */
function shared(state: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(new SharedArrayBuffer(state.byteLength))
  bytes.set(state)
  return bytes
}
