import type { RandomStream } from '../determinism/random-stream.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { Json } from '../vocabulary/json.ts'
import type { AssistantMessage, Message } from '../vocabulary/message.ts'
import type { Task } from '../vocabulary/task.ts'
import type { ToolDefinition } from '../vocabulary/tool.ts'
import type { ImportanceSampling, KlPenalty, Loss, TrainingSample } from '../vocabulary/training-sample.ts'
import type { ActionSpan, Trajectory, TrajectoryGroup } from '../vocabulary/trajectory.ts'
import type { World, WorldInstance } from './world.ts'

// ---- sampler ----

/** Chooses which tasks a step works on. Fills the slot `sampler`. */
export interface TaskSampler {
  /** Ids of `count` tasks; a task may come more than once. Draws only from the stream it was built with. */
  draw(count: number): readonly string[]
  /** Learns from a finished group, in draw order. */
  observe(group: TrajectoryGroup): void
  /** Everything `restore` needs to go on as if nothing had happened. */
  state(): Json
  /** @throws {RlenvError} RLENV_CHECKPOINT_INVALID when the state is not one of its own; it changes nothing then. */
  restore(state: Json): void
}

// ---- policy ----

/** Settings of one sampling call, in the field's words. */
export interface SamplingParams {
  /** 0 = greedy. */
  readonly temperature: number
  readonly topP: number
  /** Most tokens of one message; null = the server's own limit. */
  readonly maxTokens: number | null
}

export interface PolicyRequest {
  /** Conversation so far; the same array object grows over the turns of one rollout. */
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  /** "act" unless a rollout strategy has other roles. */
  readonly role: string
  readonly sampling: SamplingParams
  /** The rollout's own stream. */
  readonly random: RandomStream
}

export interface PolicyResponse {
  readonly message: AssistantMessage
  readonly span: ActionSpan
  /** `length` when the message was cut off. */
  readonly finish: 'stop' | 'length'
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number }
}

/** What a policy samples with at one moment, beyond what the configuration says. */
export interface PolicySnapshot {
  readonly version: number
  /** In a form of the policy's own; empty when the configuration says everything. Not changed by whoever gets it. */
  readonly state: Uint8Array
}

/**
 * Writes the next assistant message. Fills the slot `policy`; a learner may provide it.
 *
 * When rollouts run in threads or processes of their own, a policy with `snapshot` and `restore` is built there once more
 * and samples there. One without them stays where it is and is asked over a channel.
 */
export interface Policy {
  /** Name for traces and reports. */
  readonly name: string
  /** Version of the weights it samples with; 0 for a fixed model. */
  readonly policyVersion: number
  sample(request: PolicyRequest, signal: AbortSignal): PolicyResponse | Promise<PolicyResponse>
  /** What a copy built from the same configuration needs to answer as this one does now. */
  snapshot?(): PolicySnapshot
  /** Answers from now on as the policy did that the snapshot was taken of. The bytes may be shared with other threads. */
  restore?(snapshot: PolicySnapshot): void
  /** Told each list of tools that copies of it were offered, before the rollouts that name the list by its hash. */
  offered?(tools: readonly ToolDefinition[]): void
}

// ---- rollout ----

/** One decision of the sampler, with the seed and the policy version its whole group shares. */
export interface Draw {
  /** `d<ordinal>` for training, other prefixes elsewhere. */
  readonly id: string
  /** Position in the whole run. */
  readonly ordinal: number
  readonly taskId: string
  readonly environmentId: string
  /** Seed of the worlds of this draw's rollouts. */
  readonly seed: number
  readonly policyVersion: number
}

/** Bounds of one rollout. A limit of null is no limit. */
export interface RolloutLimits {
  readonly maxTurns: number
  readonly maxToolCalls: number | null
  readonly toolTimeoutMs: number
  readonly turnTimeoutMs: number
  readonly rolloutTimeoutMs: number
  /** Longest tool result that reaches the policy, in characters; what is cut is announced. */
  readonly maxResultChars: number
}

export interface RolloutRequest {
  readonly draw: Draw
  readonly rolloutIndex: number
  readonly attempt: number
  readonly task: Task
  readonly environment: Environment
  readonly policy: Policy
  readonly world: World
  readonly sampling: SamplingParams
  readonly limits: RolloutLimits
  readonly random: RandomStream
  readonly signal: AbortSignal
}

export interface RolloutResult {
  readonly trajectory: Trajectory
  /** Still open, for the verifier; null when no world could be opened. The engine closes it. */
  readonly world: WorldInstance | null
}

/** How one attempt at a task is played. Fills the slot `rollout`. Never rejects for what a policy or world does. */
export interface RolloutStrategy {
  readonly name: string
  run(request: RolloutRequest): Promise<RolloutResult>
}

// ---- algorithm and learner ----

export interface TrainingBatch {
  readonly samples: readonly TrainingSample[]
  readonly loss: Loss
  /** For the step's metrics, for example `advantage/abs_mean`. */
  readonly metrics: Readonly<Record<string, number>>
  /** Correction for what other weights or engines sampled; made by the training loop with the learner's `logProbs`. */
  readonly importanceSampling?: ImportanceSampling
  /** Penalty towards the reference as part of the advantages; made by the training loop with the learner's `logProbs`. */
  readonly klInReward?: KlPenalty
}

/** Turns judged groups into training samples and a loss. Fills the slot `algorithm`. */
export interface Algorithm {
  readonly name: string
  /** Fewest rollouts per draw that it can learn from; 1 when it needs no peers. Checked before the first rollout. */
  readonly minGroupSize?: number
  /** True when its batches ask for what a learner tells with `logProbs`. Checked before the first rollout. */
  readonly needsLogProbs?: boolean
  batch(groups: readonly TrajectoryGroup[]): TrainingBatch | Promise<TrainingBatch>
}

/** One sample with the averaging factors of its optimiser step. */
export interface ScaledSample {
  readonly sample: TrainingSample
  /** Shape [T]; 0 where masked. The step's loss is Σ scales · term over all samples of the step. */
  readonly scales: Float64Array
}

export interface AccumulateReport {
  readonly loss: number
  /** Sums over trained actions as the loss reported them, `count` among them. */
  readonly sums: Readonly<Record<string, number>>
}

export interface StepReport {
  /** L2 norm of the accumulated gradient. */
  readonly gradNorm: number
  /** False when the step was refused (non-finite gradient) or had nothing to apply. */
  readonly applied: boolean
  /** Why it was refused, if it was. */
  readonly reason: string | null
}

/** Applies losses to weights; knows nothing of rewards or algorithms. Fills the slot `learner`. */
export interface Learner {
  readonly name: string
  /** Number of published weight updates; monotonic. */
  readonly policyVersion: number
  /** The policy that samples with the published weights, when this learner serves one. */
  readonly policy: Policy | null
  /** Adds the gradients of these samples. Calling it several times before `step` equals calling it once with all. */
  accumulate(samples: readonly ScaledSample[], loss: Loss, signal: AbortSignal): Promise<AccumulateReport>
  /**
   * Log-probabilities of given actions in nats, sampling temperature included: per sample, shape [T], finite wherever the
   * mask is 1. "trained" are the weights as they are now, unpublished steps included; "reference" the frozen first ones.
   * Changes nothing, neither weights nor what was accumulated. A learner without it cannot serve importance sampling or a
   * penalty in the reward.
   */
  logProbs?(
    samples: readonly TrainingSample[],
    weights: 'trained' | 'reference',
    signal: AbortSignal,
  ): Promise<readonly Float64Array[]>
  /** One optimiser step with what was accumulated, then forgets it. */
  step(signal: AbortSignal): Promise<StepReport>
  /** Makes the weights the ones its policy samples with; returns the new version. */
  publish(signal: AbortSignal): Promise<number>
  /** Writes everything `load` needs into an empty folder. */
  save(directory: string): Promise<void>
  /** @throws {RlenvError} RLENV_CHECKPOINT_INVALID when the folder holds no state of its own. */
  load(directory: string): Promise<void>
  close(): Promise<void>
}

// ---- curriculum ----

export interface CurriculumRequest {
  readonly round: number
  /** Environments that may get new tasks. */
  readonly environments: readonly Environment[]
  /** The evaluation that was just made. */
  readonly judged: readonly TrajectoryGroup[]
}

/** What to synthesise next. */
export interface CurriculumPlan {
  readonly targets: readonly {
    readonly environmentId: string
    readonly tasks: number
    readonly guidelines: readonly string[]
  }[]
}

/** Decides after an evaluation where new tasks are wanted. Fills the slot `curriculum`. */
export interface Curriculum {
  readonly name: string
  next(request: CurriculumRequest, signal: AbortSignal): Promise<CurriculumPlan>
}
