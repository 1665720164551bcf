import type { RandomStream } from '../determinism/random-stream.ts'
import type { DatabaseDraft } from '../vocabulary/database.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { Scenario } from '../vocabulary/scenario.ts'
import type { StateDiff } from '../vocabulary/state-diff.ts'
import type { GoldRun, StoredVerifier, Task } from '../vocabulary/task.ts'
import type { Tool } from '../vocabulary/tool.ts'
import type { JudgedTrajectory, Trajectory } from '../vocabulary/trajectory.ts'
import type { DraftWorld, StateReader } from './world.ts'

/** What every handler may use: its own random stream, the abort signal, and a line to the run's log. */
export interface HookContext {
  /** Named after the run's seed, the hook, the plugin and the item at hand. */
  readonly random: RandomStream
  readonly signal: AbortSignal
  /** Writes one line to the run's log, under the plugin's name. */
  log(message: string): void
}

/** For stages of synthesis. */
export interface StageContext extends HookContext {
  /** Adds what a model call cost, in US dollars, to the record of this stage; for plugins that pay for models. */
  spend(usd: number): void
}

/** For `scenarioSource`. */
export interface ScenarioSourceContext extends StageContext {
  /** How many environments the run wants. */
  readonly environments: number
}

/** For stages that work on one scenario. */
export interface ScenarioContext extends StageContext {
  readonly scenario: Scenario
  /** Seed of this environment. */
  readonly seed: number
  /** 1 on the first try. */
  readonly attempt: number
  /** What went wrong on the previous try, in words for a generator; null on the first. */
  readonly feedback: string | null
}

/** For `toolGenerator`. */
export interface ToolContext extends ScenarioContext {
  readonly database: DatabaseDraft
}

/** A toolset under construction. */
export interface Toolset {
  readonly tools: readonly Tool[]
  /** Source text of script tools, by path inside the bundle. */
  readonly scripts: Readonly<Record<string, string>>
}

/** For `taskGenerator`. */
export interface TaskContext extends ScenarioContext {
  readonly database: DatabaseDraft
  readonly toolset: Toolset
  /** How many tasks the environment shall have. */
  readonly tasksPerEnvironment: number
  /** What a curriculum asks new tasks to train; empty at first synthesis. */
  readonly guidelines: readonly string[]
  readonly world: DraftWorld
}

/** For `verifier.prepare`. */
export interface VerifierContext extends ScenarioContext {
  readonly database: DatabaseDraft
  readonly toolset: Toolset
  readonly task: Task
  readonly goldRun: GoldRun
  readonly world: DraftWorld
}

/** What a verifier needs to see. */
export interface JudgeInput {
  readonly environment: Environment
  readonly task: Task
  readonly verifier: StoredVerifier
  readonly trajectory: Trajectory
  readonly initial: StateReader
  readonly final: StateReader
  /** Initial to final state, every row; the diffs in the trajectory are bounded. */
  readonly diff: StateDiff
}

/** For `rewardShaper`: the judged trajectory so far; its `reward` is what earlier shapers returned. */
export interface RewardContext extends HookContext {
  readonly judged: JudgedTrajectory
  readonly task: Task
}

/** For `groups`. */
export interface GroupsContext extends HookContext {
  /** 0-based training step. */
  readonly step: number
  /** Version of the weights that sample the step. */
  readonly policyVersion: number
  /**
   * Newest version that the learner may have when it learns from these groups: that of the weights that sample them, and
   * one more for every step that collection runs ahead. A stored member is then so many updates old as this is above its
   * trajectory's policyVersion.
   */
  readonly learnerVersion: number
  /**
   * One of the step's metrics, for example `("replay/swaps", 3)`. A step that draws again asks the chain again: its values
   * are added up ("sum", the default), or the last one stands ("last").
   */
  metric(name: string, value: number, over?: 'sum' | 'last'): void
}

/** For slots: what a provider may use when it builds its role. */
export interface SlotContext extends HookContext {
  /** Number that all of the run's streams descend from. */
  readonly seed: number
}

/** For the slot `sampler`. */
export interface SamplerContext extends SlotContext {
  /** The training tasks; never empty. */
  readonly tasks: readonly Task[]
  /** The environments of these tasks. */
  readonly environments: readonly Environment[]
}
