import type { ResolvedConfig } from '../config/rlenv-config.ts'
import { contentHash } from '../determinism/content-hash.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { Environment } from '../vocabulary/environment.ts'

export interface EnvironmentSplit {
  readonly train: readonly Environment[]
  readonly heldOut: readonly Environment[]
}

/**
 * Splits by environment, never by task, so that an evaluation meets schemas and tools that training has not seen.
 * Membership depends on the seed and the ids alone, not on their order; adding an environment moves at most one other.
 *
 * @param heldOutShare - share of environments, 0 to 1; rounded, but both sides get at least one when 0 < share and there
 *   are two environments or more.
 * @returns both sides in the given order.
 * @throws {RlenvError} RLENV_CONFIG_INVALID when nothing would be left to train on, or two environments share an id.
 */
export function splitEnvironments(
  environments: readonly Environment[],
  heldOutShare: number,
  seed: number,
): EnvironmentSplit {
  const ids = environments.map(({ id }) => id)
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index)
  if (repeated !== undefined) {
    throw new RlenvError(`two environments are called "${repeated}"`, {
      code: 'RLENV_CONFIG_INVALID',
      fix: 'Remove one of them, or give it another id.',
    })
  }
  const size = heldOutSize(ids.length, heldOutShare)
  const ranked = ids.map((id) => ({ id, rank: contentHash(['split', seed, id]) }))
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1))
  const chosen = new Set(ranked.slice(0, size).map(({ id }) => id))
  return {
    train: environments.filter(({ id }) => !chosen.has(id)),
    heldOut: environments.filter(({ id }) => chosen.has(id)),
  }
}

/** The split that a configuration asks for. @throws {RlenvError} RLENV_CONFIG_INVALID */
export function splitOf(environments: readonly Environment[], { evaluation, seed }: ResolvedConfig): EnvironmentSplit {
  return splitEnvironments(environments, evaluation.heldOutShare, evaluation.splitSeed ?? seed)
}

function heldOutSize(total: number, share: number): number {
  if (!(share >= 0 && share < 1)) {
    throw new RlenvError(`a held-out share of ${share} leaves nothing to train on`, {
      code: 'RLENV_CONFIG_INVALID',
      fix: 'Set evaluation.heldOutShare to a number from 0 to below 1.',
    })
  }
  if (share === 0 || total < 2) return 0
  return Math.min(total - 1, Math.max(1, Math.round(total * share)))
}
