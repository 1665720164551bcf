import type { AsyncParallelHook, AsyncSeriesBailHook, AsyncSeriesWaterfallHook } from 'tapable'
import type { RunEvent } from '../telemetry/run-event.ts'
import type { DatabaseDraft } from '../vocabulary/database.ts'
import type { Json } from '../vocabulary/json.ts'
import type { Verdict } from '../vocabulary/outcome.ts'
import type { Scenario } from '../vocabulary/scenario.ts'
import type { StoredVerifier, Task } from '../vocabulary/task.ts'
import type { TrajectoryGroup } from '../vocabulary/trajectory.ts'
import type {
  GroupsContext,
  HookContext,
  JudgeInput,
  RewardContext,
  SamplerContext,
  ScenarioContext,
  ScenarioSourceContext,
  SlotContext,
  TaskContext,
  ToolContext,
  Toolset,
  VerifierContext,
} from './contexts.ts'
import type { Algorithm, Curriculum, Learner, Policy, RolloutStrategy, TaskSampler } from './roles.ts'
import type { World } from './world.ts'

/** A value or a promise of it. */
export type Awaitable<T> = T | Promise<T>

/** A handler, or a handler that runs before (`pre`) or after (`post`) the others on its hook point. */
export type Tap<Handler> = Handler | OrderedHandler<Handler>

export interface OrderedHandler<Handler> {
  /** Before or after the handlers without an order. */
  readonly order?: 'pre' | 'post'
  /** Name of a plugin on the same hook point that must come later; an unknown name is an error. */
  readonly before?: string
  /**
   * True for the handler that makes a chain's first value instead of going on from an earlier one. A chain has at most
   * one, and it runs first: as with slots, a higher layer's base replaces a lower one's, two in one layer are an error.
   */
  readonly base?: boolean
  readonly handler: Handler
}

/** What a handler keeps from one training step to the next, for example past rollouts. */
export interface HandlerMemory {
  /**
   * A snapshot that later calls do not change. Asked for at every step: share what never changes instead of copying it.
   * What the setup's `buffer` keeps may stand in it as {@link Kept}, and is then saved without being in memory at once.
   */
  state(): Json
  /**
   * Goes on from a snapshot, in which kept values are still kept; null begins a run.
   *
   * @throws {RlenvError} RLENV_CHECKPOINT_INVALID when it is not its own.
   */
  restore(state: Json): void
}

/** Filters or repairs the groups of one round of a training step. */
export type GroupsHandler = (
  groups: readonly TrajectoryGroup[],
  context: GroupsContext,
) => Awaitable<readonly TrajectoryGroup[]>

/** A handler of `groups` with what else is to be known of it. */
export interface OrderedGroupsHandler extends OrderedHandler<GroupsHandler> {
  /** What it remembers, which is saved with every checkpoint. */
  readonly memory?: HandlerMemory
  /**
   * What it does with groups whose rewards are all equal, so that they have no gradient. One that mends them is moved in
   * front of those that drop them, whatever the order of layers and lists: nothing would be left for it behind them.
   */
  readonly flatGroups?: 'mend' | 'drop'
}

/** The two halves of a verifier. */
export interface VerifierPair {
  /** first. Writes down how a task is verified, from its gold run; undefined passes the task on to the next plugin. */
  readonly prepare: (task: Task, context: VerifierContext) => Awaitable<StoredVerifier | undefined>
  /** first. Judges one finished rollout; undefined passes on a stored verifier that this plugin cannot read. */
  readonly judge: (input: JudgeInput, context: HookContext) => Awaitable<Verdict | undefined>
}

/**
 * The hook points of rlenv, in the order the pipeline calls them. This is what a plugin's `setup` returns.
 *
 * - chain: each plugin receives the previous one's result and returns the next; returning nothing is an error. Chains
 *   accumulate over layers; a handler marked `base` starts one, and a higher layer's base replaces a lower one's.
 * - pair: two `first` hooks, the first answer that is not undefined wins; plugins of higher layers are asked first.
 * - slot: exactly one provider per layer; a higher layer (user over preset over core) replaces a lower one.
 * - watch: told in parallel and carries no value; an error is logged and never stops the run.
 */
export interface PluginHooks {
  /** chain. Adds, drops or rewrites scenarios. Once per synthesis, before any database exists. */
  readonly scenarioSource?: Tap<
    (scenarios: readonly Scenario[], context: ScenarioSourceContext) => Awaitable<readonly Scenario[]>
  >
  /** chain. Creates, enriches or complexifies a scenario's database. Once per scenario. */
  readonly dbMiner?: Tap<(database: DatabaseDraft, context: ScenarioContext) => Awaitable<DatabaseDraft>>
  /** chain. Generates, cross-validates or prunes a scenario's tools. Once per scenario. */
  readonly toolGenerator?: Tap<(toolset: Toolset, context: ToolContext) => Awaitable<Toolset>>
  /** chain. Generates, checks or hardens an environment's tasks. Once per environment, and again in an arena. */
  readonly taskGenerator?: Tap<(tasks: readonly Task[], context: TaskContext) => Awaitable<readonly Task[]>>
  /** pair. `prepare` once per task at synthesis; `judge` after every rollout. */
  readonly verifier?: VerifierPair
  /** chain. Derives the reward from outcome and verdict. After every rollout that was not cancelled. */
  readonly rewardShaper?: Tap<(reward: number, context: RewardContext) => Awaitable<number>>
  /** slot. Chooses the tasks of a training step. */
  readonly sampler?: (context: SamplerContext) => Awaitable<TaskSampler>
  /** chain. Filters or repairs a step's groups before advantages; dropped groups are refilled up to a bound. */
  readonly groups?: GroupsHandler | OrderedGroupsHandler
  /** slot. Turns groups into training samples and a loss. */
  readonly algorithm?: (context: SlotContext) => Awaitable<Algorithm>
  /** slot. Applies losses to weights. */
  readonly learner?: (context: SlotContext) => Awaitable<Learner>
  /** slot. Writes the assistant messages of a rollout; when empty, the learner's own policy serves. */
  readonly policy?: (context: SlotContext) => Awaitable<Policy>
  /** slot. Opens instances of environments. */
  readonly world?: (context: SlotContext) => Awaitable<World>
  /** slot. Plays one attempt at a task. */
  readonly rollout?: (context: SlotContext) => Awaitable<RolloutStrategy>
  /** slot. Decides after an evaluation which tasks to synthesise next. */
  readonly curriculum?: (context: SlotContext) => Awaitable<Curriculum>
  /** watch. Hears every run event. */
  readonly watch?: (event: RunEvent) => Awaitable<void>
}

export type HookName = keyof PluginHooks
export type HookKind = 'chain' | 'pair' | 'slot' | 'watch'

export type ChainName = 'scenarioSource' | 'dbMiner' | 'toolGenerator' | 'taskGenerator' | 'rewardShaper' | 'groups'
export type SlotName = 'sampler' | 'algorithm' | 'learner' | 'policy' | 'world' | 'rollout' | 'curriculum'

/** What a hook point is and when it is called; the compiler fails when one is forgotten. In call order. */
export const hookPoints: Readonly<Record<HookName, { readonly kind: HookKind; readonly called: string }>> = {
  scenarioSource: { kind: 'chain', called: 'synth, once' },
  dbMiner: { kind: 'chain', called: 'synth, per scenario' },
  toolGenerator: { kind: 'chain', called: 'synth, per scenario' },
  taskGenerator: { kind: 'chain', called: 'synth and arena, per environment' },
  verifier: { kind: 'pair', called: 'prepare: synth, per task; judge: after a rollout' },
  rewardShaper: { kind: 'chain', called: 'after a verdict' },
  sampler: { kind: 'slot', called: 'train, per draw' },
  groups: { kind: 'chain', called: 'train, per step, before advantages' },
  algorithm: { kind: 'slot', called: 'train, per step' },
  learner: { kind: 'slot', called: 'train' },
  policy: { kind: 'slot', called: 'rollout' },
  world: { kind: 'slot', called: 'rollout' },
  rollout: { kind: 'slot', called: 'rollout' },
  curriculum: { kind: 'slot', called: 'outer loop, after an evaluation' },
  watch: { kind: 'watch', called: 'always' },
}

/** The tapable hooks behind the chains, the verifier pair and the watchers. Slots are resolved, not tapped. */
export interface TappedHooks {
  readonly scenarioSource: AsyncSeriesWaterfallHook<[readonly Scenario[], ScenarioSourceContext]>
  readonly dbMiner: AsyncSeriesWaterfallHook<[DatabaseDraft, ScenarioContext]>
  readonly toolGenerator: AsyncSeriesWaterfallHook<[Toolset, ToolContext]>
  readonly taskGenerator: AsyncSeriesWaterfallHook<[readonly Task[], TaskContext]>
  readonly verifierPrepare: AsyncSeriesBailHook<[Task, VerifierContext], StoredVerifier | undefined>
  readonly verifierJudge: AsyncSeriesBailHook<[JudgeInput, HookContext], Verdict | undefined>
  readonly rewardShaper: AsyncSeriesWaterfallHook<[number, RewardContext]>
  readonly groups: AsyncSeriesWaterfallHook<[readonly TrajectoryGroup[], GroupsContext]>
  readonly watch: AsyncParallelHook<[RunEvent]>
}
