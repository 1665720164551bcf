import type { ResolvedConfig } from '../config/rlenv-config.ts'
import { contentHash } from '../determinism/content-hash.ts'
import { RandomStream } from '../determinism/random-stream.ts'
import type { LoadedPipeline } from '../pipeline/load-pipeline.ts'

/** The seed of a run follows from that of the configuration; environments and split keep the configuration's own. */
export function trainedConfig(
  base: ResolvedConfig,
  { replicate, rollouts }: { readonly replicate: number; readonly rollouts: number | null },
): ResolvedConfig {
  const seed = replicate === 0 ? base.seed : RandomStream.of(base.seed, 'ablation', replicate).uint32()
  const { training, evaluation } = base
  return {
    ...base,
    seed,
    training: {
      ...training,
      maxRollouts: rollouts ?? training.maxRollouts,
      keepCheckpoints: 1,
      // An arm that has nothing left to learn from is a result; it spends its budget like the others.
      stopAfterDeadSteps: Number.MAX_SAFE_INTEGER,
      // A budget of rollouts decides how long a run is; an arm that fills up fewer draws takes more steps.
      ...(rollouts === null ? {} : { steps: 1_000_000 }),
    },
    evaluation: { ...evaluation, splitSeed: evaluation.splitSeed ?? base.seed },
    rollout: { ...base.rollout, mode: 'inline' },
  }
}

/** Equal for two arms whose runs would not differ in anything but their names. */
export function armIdentity({ config, describe }: LoadedPipeline, rollouts: number | null): string {
  const { name: _name, file: _file, ...trained } = trainedConfig(config, { replicate: 0, rollouts })
  return contentHash({ trained, plugins: describe().plugins })
}
