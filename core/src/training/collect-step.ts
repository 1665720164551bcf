import { RandomStream } from '../determinism/random-stream.ts'
import type { GroupsContext } from '../hooks/contexts.ts'
import type { Draw, Policy, TaskSampler } from '../hooks/roles.ts'
import type { Pipeline } from '../plugin/pipeline.ts'
import type { RolloutTiming } from '../rollout/collect-request.ts'
import type { RolloutEngine } from '../rollout/rollout-engine.ts'
import type { Task } from '../vocabulary/task.ts'
import { isCounted, type JudgedTrajectory, type TrajectoryGroup } from '../vocabulary/trajectory.ts'
import { drawsOf, drawTasks } from './draw-tasks.ts'
import { ParkedGroups, type StepGroups } from './parked-groups.ts'

export interface CollectParts {
  readonly sampler: TaskSampler
  readonly engine: RolloutEngine
  /** Samples every rollout of the step. */
  readonly policy: Policy
  readonly pipeline: Pipeline
  /** The training tasks, by id. */
  readonly tasks: ReadonlyMap<string, Task>
  readonly seed: number
  readonly tasksPerStep: number
  readonly rolloutsPerTask: number
  /** How often the step may draw again for groups that were dropped. */
  readonly maxRefills: number
  /** Draws of the whole run, spent or not; Infinity for as many as its steps ask for. */
  readonly maxDraws: number
  /** Takes every group as soon as it is finished, in the order of draws. */
  readonly onGroup: (group: TrajectoryGroup) => void
  readonly onFailedAttempts: (attempts: readonly JudgedTrajectory[]) => void
  readonly onTiming: (timing: RolloutTiming) => void
  /** What the learner does meanwhile, and how far collection is ahead of it, in words. */
  readonly surroundings: () => readonly string[]
  readonly log: (message: string) => void
}

export interface StepPosition {
  /** 0-based. */
  readonly step: number
  /** Ordinal of the step's first draw. */
  readonly frontier: number
  /** Of the weights that sample the step. */
  readonly policyVersion: number
  /** Newest version that the learner may have when it learns from the step. */
  readonly learnerVersion: number
}

/** How a training step was collected. */
interface CollectionTally {
  readonly refills: number
  /** Draws that all faulted and whose task was drawn once more. */
  readonly requeued: number
  /** What the groups chain reported; over several refills added up, or the last value. */
  readonly metrics: Readonly<Record<string, number>>
  /** Ordinal after the step's last draw. */
  readonly frontier: number
}

/**
 * Everything one training step rolled out, in the order of draws, refills included; and what the groups chain left of it,
 * which is what the algorithm gets.
 */
export interface CollectedStep extends CollectionTally, StepGroups {}

/** The same, waiting for the learner. */
export interface WaitingStep extends CollectionTally {
  readonly groups: ParkedGroups
}

/**
 * Draws, rolls out and filters until the step has its groups or its refills are spent. A group of nothing but faults
 * says nothing about its task, so that task is drawn again before the sampler is asked for others.
 *
 * @throws {RlenvError} RLENV_SAMPLER_INVALID; what the engine and the plugins throw; RLENV_INTERRUPTED.
 */
export async function collectStep(
  parts: CollectParts,
  position: StepPosition,
  signal: AbortSignal,
): Promise<WaitingStep> {
  const parked = new ParkedGroups(parts.pipeline.buffer)
  const metrics: Record<string, number> = {}
  let frontier = position.frontier
  let again: readonly Task[] = []
  let requeued = 0
  for (let round = 0; ; round++) {
    const wanted = Math.min(parts.tasksPerStep - parked.keptCount, parts.maxDraws - frontier)
    const repeated = again.slice(0, Math.max(0, wanted))
    const fresh = drawTasks(parts.sampler, Math.max(0, wanted - repeated.length), parts.tasks)
    const tasks = [...repeated, ...fresh]
    requeued += repeated.length
    const draws = drawsOf(tasks, { seed: parts.seed, firstOrdinal: frontier, policyVersion: position.policyVersion })
    frontier += draws.length
    const groups = await rollOut(parts, draws, signal)
    const left = await parts.pipeline.chain('groups', groups, groupsContext(parts, position, round, metrics, signal))
    parked.add({ generated: groups, kept: left.filter(hasCounted) })
    const isSpent = frontier >= parts.maxDraws || round >= parts.maxRefills
    if (parked.keptCount >= parts.tasksPerStep || isSpent) {
      return { groups: parked, refills: round, requeued, metrics, frontier }
    }
    again = tasksToRepeat(parts, groups)
  }
}

async function rollOut(
  { engine, policy, sampler, rolloutsPerTask, onGroup, onFailedAttempts, onTiming, surroundings }: CollectParts,
  draws: readonly Draw[],
  signal: AbortSignal,
): Promise<readonly TrajectoryGroup[]> {
  const groups: TrajectoryGroup[] = []
  const taking = { onFailedAttempts, onTiming, surroundings } as const
  const request = { draws, rolloutsPerDraw: rolloutsPerTask, purpose: 'train', policy, ...taking } as const
  for await (const group of engine.collect(request, signal)) {
    groups.push(group)
    sampler.observe(group)
    onGroup(group)
  }
  return groups
}

function groupsContext(
  { seed, log }: CollectParts,
  { step, policyVersion, learnerVersion }: StepPosition,
  round: number,
  metrics: Record<string, number>,
  signal: AbortSignal,
): GroupsContext {
  return {
    step,
    policyVersion,
    learnerVersion,
    random: RandomStream.of(seed, 'train', 'groups', step, round),
    signal,
    log,
    metric: (name, value, over = 'sum') => {
      metrics[name] = over === 'sum' ? (metrics[name] ?? 0) + value : value
    },
  }
}

const hasCounted = (group: TrajectoryGroup) => group.members.some(isCounted)

function tasksToRepeat({ engine, tasks }: CollectParts, groups: readonly TrajectoryGroup[]): readonly Task[] {
  return groups.flatMap((group) => {
    const task = tasks.get(group.taskId)
    const hopeless = engine.droppedTasks.has(group.taskId)
    return task === undefined || hopeless || hasCounted(group) ? [] : [task]
  })
}
