import type { Plugin } from '../hooks/plugin.ts'

/** A plugin object, a package name, a package name with options, or a falsy value that is skipped. */
export type PluginEntry = Plugin | string | readonly [name: string, options: unknown] | false | null | undefined

/** A configuration to build upon: what a preset returned, or the path or package of a configuration file. */
export type ConfigSource = RlenvConfig | string

/** What `rlenv.config.ts` exports. Every number has a default; presets set the ones their paper gives. */
export interface RlenvConfig {
  /** Label in run folders and reports. Default: the preset's name, or "run". */
  readonly name?: string
  /** Lower layers, weakest first. */
  readonly extends?: ConfigSource | readonly ConfigSource[]
  readonly plugins?: readonly PluginEntry[]
  /** Names of plugins of lower layers that shall not run. */
  readonly without?: readonly string[]
  /** Every random stream descends from it. Default 0. */
  readonly seed?: number
  readonly synthesis?: SynthesisOptions
  readonly rollout?: RolloutOptions
  readonly training?: TrainingOptions
  readonly evaluation?: EvaluationOptions
  readonly output?: OutputOptions
  readonly watchdog?: WatchdogOptions
}

/** What happens when the run has to wait. */
export interface WatchdogOptions {
  /** Milliseconds without any finished rollout after which the run says who waits for whom. Default 60000. */
  readonly progressAfterMs?: number
  /** Milliseconds after which the run says for which plugin it waits. Default 30000. */
  readonly warnAfterMs?: number
  /** Milliseconds after which it stops with RLENV_PLUGIN_STALLED. Default 1800000. */
  readonly stopAfterMs?: number
}

export interface SynthesisOptions {
  /** Environments wanted. Default 100. */
  readonly environments?: number
  /** Tasks wanted in each. Default 10. */
  readonly tasksPerEnvironment?: number
  /** An environment with fewer tasks left after the gate is dropped. Default 5. */
  readonly minTasksPerEnvironment?: number
  /** Tries per stage, each told what went wrong before. Default 5. */
  readonly maxAttempts?: number
  /** Environments synthesised at a time. Default 4. */
  readonly maxConcurrentEnvironments?: number
  /** Where stages keep their results, relative to the configuration file. Default ".rlenv/artifacts". */
  readonly artifactDirectory?: string
}

export type RolloutMode = 'inline' | 'workers' | 'processes'

export interface RolloutOptions {
  /** Assistant messages per rollout. Default 20. */
  readonly maxTurns?: number
  /** Tool calls per rollout; null = no limit. Default null. */
  readonly maxToolCalls?: number | null
  /** Rollouts in flight. Default 64. */
  readonly maxConcurrentRollouts?: number
  /**
   * Where rollouts run: in the main thread ("inline"), in threads of their own ("workers"), or in processes of their own
   * ("processes"), which alone can be ended whatever they do. Results are the same. Default "inline".
   */
  readonly mode?: RolloutMode
  /** Threads or processes for the modes other than "inline"; null = one fewer than there are cores. Default null. */
  readonly shards?: number | null
  /** MiB that one of them may hold before it is ended; null = its share of the machine's memory. Default null. */
  readonly shardMemoryMib?: number | null
  /** Milliseconds one tool call may take. Default 30000. */
  readonly toolTimeoutMs?: number
  /** Milliseconds one message of the policy may take. Default 300000. */
  readonly turnTimeoutMs?: number
  /** Milliseconds one rollout may take. Default 1800000. */
  readonly rolloutTimeoutMs?: number
  /** Longest tool result that reaches the policy, in characters. Default 20000. */
  readonly maxResultChars?: number
  /** Tries of a rollout that ended in a retryable infrastructure fault. Default 3. */
  readonly maxAttempts?: number
  /** Sampling temperature in training. Default 1. */
  readonly temperature?: number
  /** Default 1. */
  readonly topP?: number
  /** Most tokens per message; null = the server's own limit. Default null. */
  readonly maxTokens?: number | null
}

export interface TrainingOptions {
  /** Training steps. Default 96. */
  readonly steps?: number
  /** End once so many rollouts have been generated, refills included; null = after all steps. Default null. */
  readonly maxRollouts?: number | null
  /** Draws per step. Default 64. */
  readonly tasksPerStep?: number
  /** Group size G: rollouts per draw. Default 16. */
  readonly rolloutsPerTask?: number
  /** Optimiser steps that one step's batch is cut into. Default 1. */
  readonly optimizerStepsPerStep?: number
  /** How often a step may draw again for groups that were dropped. Default 3. */
  readonly maxRefills?: number
  /** Evaluate on held-out environments every so many steps; 0 = only before and after. Default 0. */
  readonly evaluateEverySteps?: number
  /** Write a checkpoint every so many steps. Default 10. */
  readonly checkpointEverySteps?: number
  /** So many of the newest checkpoints stay on disk; null = all. Default 3. */
  readonly keepCheckpoints?: number | null
  /**
   * Steps that collection may run ahead of the learner, so that both work at a time: rollouts are then learnt from by
   * weights that are at most so many updates newer. 0 = they take turns. Default 0.
   */
  readonly maxStaleness?: number
  /**
   * Share of the machine's cores, 0 to 1, that roll out while the others are left to the learner. Counts where collection
   * runs ahead, rollouts have threads or processes of their own, and `rollout.shards` says nothing. Default 0.5.
   */
  readonly rolloutShare?: number
  /**
   * MiB of memory for rollouts that wait: for the learner, and in what plugins of `groups` keep of earlier steps. What is
   * beyond it lies in files in the run's folder until it is needed; results are the same. Default 1024.
   */
  readonly bufferMib?: number
  /** Consecutive steps without any gradient before a warning. Default 3. */
  readonly warnAfterDeadSteps?: number
  /** Consecutive steps without any gradient before the run stops with exit code 4. Default 10. */
  readonly stopAfterDeadSteps?: number
  /** Share of rollouts, 0 to 1, that may end in a fault or unscored over a step before the run stops. Default 0.5. */
  readonly maxFailureShare?: number
}

export interface EvaluationOptions {
  /** Share of environments, 0 to 1, held out from training. Default 0.3. */
  readonly heldOutShare?: number
  /** Decides which environments are held out; null = the run's seed. Default null. */
  readonly splitSeed?: number | null
  /** Sampled rollouts per task. Default 4. */
  readonly rolloutsPerTask?: number
  /** Also evaluate with temperature 0, one rollout per task. Default true. */
  readonly greedy?: boolean
  /** Temperature of the sampled evaluation. Default 1. */
  readonly temperature?: number
  /** Coverage of the intervals, 0 to 1. Default 0.95. */
  readonly confidence?: number
  /** At most this many held-out tasks, in order; null = all. Default null. */
  readonly maxTasks?: number | null
  /** Share of rollouts, 0 to 1, that may end in a fault or unscored before the command fails with exit code 4. Default 0.05. */
  readonly maxFailureShare?: number
}

export interface OutputOptions {
  /** Folder of runs, relative to the configuration file. Default "outputs". */
  readonly directory?: string
  /**
   * Write the rollouts of every so many-th training step, from the first on. Metrics are written for every step, and the
   * rollouts of every evaluation. Default 1.
   */
  readonly tracesEverySteps?: number
}

/** Passed to a configuration in function form. */
export interface ConfigEnvironment {
  /** The command that loads it, for example "train". */
  readonly command: string
}

type Complete<Options> = { readonly [Key in keyof Options]-?: Exclude<Options[Key], undefined> }

/** All layers merged, every default filled in. */
export interface ResolvedConfig {
  readonly name: string
  readonly seed: number
  readonly synthesis: Complete<SynthesisOptions>
  readonly rollout: Complete<RolloutOptions>
  readonly training: Complete<TrainingOptions>
  readonly evaluation: Complete<EvaluationOptions>
  readonly output: Complete<OutputOptions>
  readonly watchdog: Complete<WatchdogOptions>
  /** Folder that relative paths start from. */
  readonly baseDirectory: string
  /** Path of the configuration file; null when the configuration was given as an object. */
  readonly file: string | null
}
