import type { SpillStore } from '../artifacts/spill-store.ts'
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
} from '../hooks/contexts.ts'
import type { ChainName, HandlerMemory, HookKind, HookName, SlotName } from '../hooks/pipeline-hooks.ts'
import type { Algorithm, Curriculum, Learner, Policy, RolloutStrategy, TaskSampler } from '../hooks/roles.ts'
import type { World } from '../hooks/world.ts'
import type { EventSink } from '../telemetry/run-event.ts'
import type { DatabaseDraft } from '../vocabulary/database.ts'
import type { JsonObject } from '../vocabulary/json.ts'
import type { Verdict } from '../vocabulary/outcome.ts'
import type { Scenario } from '../vocabulary/scenario.ts'
import type { StoredVerifier, Task } from '../vocabulary/task.ts'
import type { TrajectoryGroup } from '../vocabulary/trajectory.ts'

/** Value and context of each chain. */
export interface ChainTypes {
  readonly scenarioSource: { readonly value: readonly Scenario[]; readonly context: ScenarioSourceContext }
  readonly dbMiner: { readonly value: DatabaseDraft; readonly context: ScenarioContext }
  readonly toolGenerator: { readonly value: Toolset; readonly context: ToolContext }
  readonly taskGenerator: { readonly value: readonly Task[]; readonly context: TaskContext }
  readonly rewardShaper: { readonly value: number; readonly context: RewardContext }
  readonly groups: { readonly value: readonly TrajectoryGroup[]; readonly context: GroupsContext }
}

/** Context and role of each slot. */
export interface SlotTypes {
  readonly sampler: { readonly context: SamplerContext; readonly role: TaskSampler }
  readonly algorithm: { readonly context: SlotContext; readonly role: Algorithm }
  readonly learner: { readonly context: SlotContext; readonly role: Learner }
  readonly policy: { readonly context: SlotContext; readonly role: Policy }
  readonly world: { readonly context: SlotContext; readonly role: World }
  readonly rollout: { readonly context: SlotContext; readonly role: RolloutStrategy }
  readonly curriculum: { readonly context: SlotContext; readonly role: Curriculum }
}

/** Where a plugin came from: 0 is the core, then each `extends` from the root up, the user's own file last. */
export interface LayerName {
  readonly index: number
  /** "core", a preset's name, or the configuration file's path. */
  readonly name: string
}

/** Who fills a hook point. */
export interface HookReport {
  readonly hook: HookName
  readonly kind: HookKind
  /** In call order; for a slot the winner only. */
  readonly plugins: readonly { readonly name: string; readonly version: string; readonly layer: LayerName }[]
  /** Slot providers of lower layers that were replaced. */
  readonly replaced: readonly { readonly name: string; readonly version: string; readonly layer: LayerName }[]
}

export interface PipelineReport {
  readonly hooks: readonly HookReport[]
  readonly plugins: readonly {
    readonly name: string
    readonly version: string
    readonly layer: LayerName
    /** After defaults; secrets as references. */
    readonly options: unknown
  }[]
}

/** How another thread or process assembles the same pipeline. */
export interface PipelineRecipe {
  /** URL of the module to start there. */
  readonly module: string
  /** What that module needs to know. */
  readonly options: JsonObject
  /** Takes the lines that plugins log there. */
  readonly log: (plugin: string, message: string) => void
}

/** All plugins of a configuration, set up and tapped. Every handler runs under attribution and the stall watchdog. */
export interface Pipeline {
  readonly report: PipelineReport
  /** Null when it was assembled from objects in memory, which exist in this thread only. */
  readonly recipe: PipelineRecipe | null
  /** @throws {RlenvError} RLENV_HOOK_EMPTY naming every one of these hook points that nothing fills. */
  require(hooks: readonly HookName[]): void
  /** Runs a chain. Each plugin gets `context` with a random stream and a log of its own. */
  chain<Name extends ChainName>(
    name: Name,
    value: ChainTypes[Name]['value'],
    context: ChainTypes[Name]['context'],
  ): Promise<ChainTypes[Name]['value']>
  /** Asks the verifiers to write down how a task is verified. @throws {RlenvError} RLENV_HOOK_EMPTY when none can. */
  prepareVerifier(task: Task, context: VerifierContext): Promise<StoredVerifier>
  /** Asks the verifiers; undefined when none can read the stored verifier. */
  judge(input: JudgeInput, context: HookContext): Promise<Verdict | undefined>
  /** Builds the role that fills a slot. @throws {RlenvError} RLENV_HOOK_EMPTY */
  slot<Name extends SlotName>(name: Name, context: SlotTypes[Name]['context']): Promise<SlotTypes[Name]['role']>
  has(hook: HookName): boolean
  /** What the handlers of `groups` remember between steps, as one. */
  readonly memory: HandlerMemory
  /** What plugins and the training loop keep of rollouts. Without bounds until a run opens it. */
  readonly buffer: SpillStore
  /** Tells the watchers; never throws, never waits. */
  readonly emit: EventSink
  /** `name@version` of the plugins on a hook point, in call order; part of artefact keys. */
  producers(hook: HookName): readonly { readonly name: string; readonly version: string; readonly options: unknown }[]
}
