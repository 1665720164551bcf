import type { RlenvConfig } from '../config/rlenv-config.ts'

/** What `defineAblation` takes: named layers over one configuration. */
export interface AblationOptions {
  /**
   * One layer per arm, put over the configuration that is ablated: plugins, settings, `without`. The first arm is what
   * the others are compared with.
   */
  readonly arms: Readonly<Record<string, RlenvConfig>>
  /** How often each arm is trained, every time with another seed. Default 5. */
  readonly seeds?: number
  /** Rollouts that each run may generate, refills included; null = as many as its steps ask for. Default null. */
  readonly rollouts?: number | null
  /** Training tasks, drawn uniformly, that are evaluated at the end of each run. Default 200. */
  readonly trainingTasks?: number
}

/** Gives an ablation its type. Returns its argument unchanged. */
export function defineAblation(options: AblationOptions): AblationOptions {
  return options
}

/** What one run is trained with besides the configuration. */
export type ArmSource =
  /** An arm of a file that exports what `defineAblation` returns. */
  | { readonly kind: 'file'; readonly file: string }
  /** Providers of hook points by name, and settings. */
  | { readonly kind: 'swaps'; readonly swaps: readonly Swap[] }

/** One choice: what fills a hook point, or the value of a setting. */
export interface Swap {
  /** A hook point, or the path of a setting. */
  readonly key: string
  /** As it was written: `replay`, `none`, `replay+filter`, `0.2`. */
  readonly value: string
}

export interface Arm {
  /** Unique; `groups=replay sampler=adaptive` for swaps. */
  readonly name: string
  readonly source: ArmSource
}

export interface AblationPlan {
  /** The first is what the others are compared with. */
  readonly arms: readonly Arm[]
  readonly seeds: number
  readonly rollouts: number | null
  readonly trainingTasks: number
}

/** One run of one arm. */
export interface Experiment {
  readonly arm: Arm
  /** 0-based; what the run's seed is made of. */
  readonly replicate: number
}

/** Every arm with every seed, seed by seed, so that an ablation that is stopped early has whole comparisons. */
export function experimentsOf({ arms, seeds }: AblationPlan): readonly Experiment[] {
  return Array.from({ length: seeds }, (_, replicate) => arms.map((arm) => ({ arm, replicate }))).flat()
}
