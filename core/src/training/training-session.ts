import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { SpillStore } from '../artifacts/spill-store.ts'
import type { ResolvedConfig } from '../config/rlenv-config.ts'
import type { Clock } from '../determinism/clock.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import { openEvaluation } from '../evaluation/evaluation-session.ts'
import { type EnvironmentSplit, splitOf } from '../evaluation/split-environments.ts'
import type { SlotContext } from '../hooks/contexts.ts'
import type { HandlerMemory } from '../hooks/pipeline-hooks.ts'
import type { Algorithm, Learner, Policy, TaskSampler } from '../hooks/roles.ts'
import { slotContexts } from '../pipeline/slot-contexts.ts'
import type { Pipeline } from '../plugin/pipeline.ts'
import type { RolloutEngine } from '../rollout/rollout-engine.ts'
import type { EventSink } from '../telemetry/run-event.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { Task } from '../vocabulary/task.ts'
import type { CollectionOrigin } from './collection-ahead.ts'
import { groupTooSmall } from './loss/group-advantages.ts'
import { PolicyPins } from './policy-pins.ts'
import { withRolloutShare } from './rollout-share.ts'
import type { TrainingRecords } from './training-records.ts'

export interface TrainingRun {
  readonly pipeline: Pipeline
  readonly config: ResolvedConfig
  /** Everything that came through synthesis; the split is made here. */
  readonly environments: readonly Environment[]
  /** The run's folder: a `RunDirectory`. */
  readonly records: TrainingRecords
  readonly events: EventSink
  readonly clock: Clock
  /** Go on from the latest checkpoint of this run folder, if there is one. */
  readonly resume: boolean
  /** Go on although something that the run's numbers depend on has changed, and write down what. Default false. */
  readonly force?: boolean
}

/** Everything that the steps of one training run share. */
export interface TrainingSession {
  readonly split: EnvironmentSplit
  /** The training tasks, by id. */
  readonly tasks: ReadonlyMap<string, Task>
  readonly sampler: TaskSampler
  readonly algorithm: Algorithm
  readonly learner: Learner
  readonly policy: Policy
  readonly engine: RolloutEngine
  /** The policies of past steps, for collection that runs ahead. */
  readonly pins: PolicyPins
  /** What the groups chain remembers. */
  readonly memory: HandlerMemory
  /** What is kept of rollouts, in memory up to `training.bufferMib` and on disk beyond it. */
  readonly buffer: SpillStore
  log(message: string): void
  close(): Promise<void>
}

/**
 * Fills every slot that training needs and checks what can be checked before the first rollout.
 *
 * @throws {RlenvError} RLENV_HOOK_EMPTY, RLENV_GROUP_TOO_SMALL, RLENV_CONFIG_INVALID; what a plugin throws.
 */
export async function openTraining(run: TrainingRun, signal: AbortSignal): Promise<TrainingSession> {
  const { pipeline, config, environments, events } = run
  pipeline.require(['verifier', 'rewardShaper', 'sampler', 'groups', 'algorithm', 'learner', 'world', 'rollout'])
  const log = (message: string) => events({ type: 'warning', message, plugin: null, hook: null })
  const split = splitOf(environments, config)
  const tasks = trainingTasks(split)
  const context = slotContexts(config.seed, events, signal)
  const algorithm = await pipeline.slot('algorithm', context('algorithm'))
  assertGroupSize(algorithm, config.training.rolloutsPerTask)
  const sampler = await pipeline.slot('sampler', {
    ...context('sampler'),
    tasks: [...tasks.values()],
    environments: split.train,
  })
  const divided = { ...run, config: withRolloutShare(config, availableParallelism()) }
  const { learner, ...rollouts } = await openEvaluation({ ...divided, needsLearner: true }, signal)
  if (learner === null) throw new TypeError('a learner was asked for and none was built')
  const { policy, close } = rollouts
  const copy =
    config.training.maxStaleness > 0 && !pipeline.has('policy') ? await copyOf(run, context('learner')) : null
  openBuffer(run)
  return {
    ...rollouts,
    split,
    tasks,
    sampler,
    algorithm,
    learner,
    log,
    pins: new PolicyPins(policy, copy?.policy ?? null),
    memory: pipeline.memory,
    buffer: pipeline.buffer,
    close: async () => {
      await copy?.learner.close()
      await close()
      pipeline.buffer.close()
    },
  }
}

/** What the sampler and the groups chain hold now. */
export function snapshotOf({ sampler, memory, buffer }: TrainingSession): Omit<CollectionOrigin, 'frontier'> {
  const release = buffer.hold()
  return { sampler: sampler.state(), memory: memory.state(), release: () => release() }
}

/** Beside the results, so that a run that goes on finds and removes what a killed one left there. */
function openBuffer({ pipeline, config, records }: TrainingRun): void {
  pipeline.memory.restore(null)
  const memoryBytes = config.training.bufferMib * 2 ** 20
  pipeline.buffer.open({ directory: join(records.directory, 'spilled'), memoryBytes })
}

/** A second policy that can be set to what the learner's was at an earlier time; null when it cannot. */
async function copyOf(
  { pipeline }: TrainingRun,
  context: SlotContext,
): Promise<{ readonly learner: Learner; readonly policy: Policy } | null> {
  const learner = await pipeline.slot('learner', context)
  const { policy } = learner
  if (policy?.snapshot !== undefined && policy.restore !== undefined) return { learner, policy }
  await learner.close()
  return null
}

function trainingTasks({ train }: EnvironmentSplit): ReadonlyMap<string, Task> {
  const tasks = train.flatMap((environment) => environment.tasks)
  if (tasks.length > 0) return new Map(tasks.map((task) => [task.id, task]))
  throw new RlenvError(`there is nothing to train on: ${train.length} environments with no tasks`, {
    code: 'RLENV_CONFIG_INVALID',
    fix: 'Run "rlenv synth" first, or lower evaluation.heldOutShare.',
  })
}

function assertGroupSize(algorithm: Algorithm, rolloutsPerTask: number): void {
  const minimum = algorithm.minGroupSize ?? 1
  if (rolloutsPerTask < minimum) throw groupTooSmall(rolloutsPerTask, minimum)
}
