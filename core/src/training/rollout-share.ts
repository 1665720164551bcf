import type { ResolvedConfig } from '../config/rlenv-config.ts'

/** The configuration with the number of shards that its split of the machine comes to; at least one. */
export function withRolloutShare(config: ResolvedConfig, cores: number): ResolvedConfig {
  const { rollout, training } = config
  const isSplit = training.maxStaleness > 0 && rollout.mode !== 'inline' && rollout.shards === null
  if (!isSplit) return config
  return { ...config, rollout: { ...rollout, shards: Math.max(1, Math.round(cores * training.rolloutShare)) } }
}
