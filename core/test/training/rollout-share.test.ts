import { describe, expect, test } from 'vitest'
import { configDefaults } from '../../src/config/config-defaults.ts'
import type { ResolvedConfig } from '../../src/config/rlenv-config.ts'
import { withRolloutShare } from '../../src/training/rollout-share.ts'

function shardsOf(
  rollout: Partial<ResolvedConfig['rollout']>,
  training: Partial<ResolvedConfig['training']>,
  cores = 8,
): number | null {
  const config: ResolvedConfig = {
    ...configDefaults,
    rollout: { ...configDefaults.rollout, ...rollout },
    training: { ...configDefaults.training, ...training },
    baseDirectory: '.',
    file: null,
  }
  return withRolloutShare(config, cores).rollout.shards
}

describe('the share of rollouts', () => {
  test.each([
    [0.5, 8, 4],
    [0.75, 8, 6],
    [1, 8, 8],
    [0.1, 2, 1],
  ])('%d of %d cores are %d shards', (rolloutShare, cores, shards) => {
    expect(shardsOf({ mode: 'workers' }, { maxStaleness: 1, rolloutShare }, cores)).toBe(shards)
  })

  test('decides nothing where collection and learning take turns, or a number of shards is given', () => {
    expect(shardsOf({ mode: 'workers' }, { maxStaleness: 0 })).toBeNull()
    expect(shardsOf({ mode: 'inline' }, { maxStaleness: 1 })).toBeNull()
    expect(shardsOf({ mode: 'processes', shards: 3 }, { maxStaleness: 1 })).toBe(3)
  })
})
