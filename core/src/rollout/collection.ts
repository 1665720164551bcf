import { setMaxListeners } from 'node:events'
import type { ResolvedConfig } from '../config/rlenv-config.ts'
import type { Clock } from '../determinism/clock.ts'
import { isRlenvError, RlenvError } from '../errors/rlenv-error.ts'
import type { Policy, SamplingParams } from '../hooks/roles.ts'
import type { EventSink } from '../telemetry/run-event.ts'
import type { StopReason } from '../vocabulary/outcome.ts'
import type { JudgedTrajectory, TrajectoryGroup } from '../vocabulary/trajectory.ts'
import type { AttemptPlan, AttemptRunner } from './attempt-runner.ts'
import { Breather } from './breather.ts'
import type { CollectRequest, TaskPlace } from './collect-request.ts'
import { faultCodes } from './fault-codes.ts'
import { type FinishedGroup, GroupQueue, type MemberJob, type PlayedMember } from './group-queue.ts'
import { LaunchQueue } from './launch-queue.ts'
import { ProgressWatch, type WaitSurroundings } from './progress-watch.ts'
import { queueNode } from './wait-graph.ts'

/** What the collections of one engine share. */
export interface CollectionParts {
  readonly player: AttemptRunner
  readonly events: EventSink
  readonly clock: Clock
  readonly droppedTasks: Map<string, string>
  readonly config: ResolvedConfig['rollout']
  readonly retryDelayMs: number
  readonly progressDeadlineMs: number
}

/** What a request was resolved to. */
export interface CollectionPlan {
  /** By position of the draw. */
  readonly places: readonly TaskPlace[]
  readonly policy: Policy
  readonly sampling: SamplingParams
}

/** Milliseconds that rollouts in flight get to stop by themselves. */
const cancelGraceMs = 5_000

/** Rollouts that may be open or finished but not taken, as a multiple of those in flight. */
const lookAhead = 4

/** Draws whose worlds are loaded ahead. */
const drawsPrepared = 2

const openCodes: ReadonlySet<string> = new Set([
  faultCodes.worldOpenFailed,
  faultCodes.worldOpenTimeout,
  faultCodes.taskDropped,
])

/** One request being played: workers that take members in order, and the groups that come out in order. */
export class Collection {
  readonly #parts: CollectionParts
  readonly #request: CollectRequest
  readonly #plan: CollectionPlan
  readonly #queue: GroupQueue
  readonly #stop = new AbortController()
  readonly #breather = new Breather()
  readonly #launches = new LaunchQueue()
  readonly #progress: ProgressWatch

  constructor(parts: CollectionParts, request: CollectRequest, plan: CollectionPlan) {
    this.#parts = parts
    this.#request = request
    this.#plan = plan
    const { rolloutsPerDraw, draws } = request
    const window = Math.ceil((lookAhead * parts.config.maxConcurrentRollouts) / rolloutsPerDraw) + 1
    // Every rollout in flight listens to it.
    setMaxListeners(0, this.#stop.signal)
    this.#progress = new ProgressWatch(parts.clock, parts.events, parts.progressDeadlineMs, () => this.#surroundings())
    this.#queue = new GroupQueue(draws, rolloutsPerDraw, window)
  }

  async *play(signal: AbortSignal): AsyncGenerator<TrajectoryGroup, void, void> {
    const onAbort = () => this.#cancel(interruption(signal))
    const ticking = new AbortController()
    const watching = this.#progress.run(ticking.signal)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    this.#parts.player.begin(this.#plan.policy)
    const { draws, rolloutsPerDraw } = this.#request
    const workers = Math.min(this.#parts.config.maxConcurrentRollouts, draws.length * rolloutsPerDraw)
    const working = Promise.all(Array.from({ length: workers }, () => this.#work()))
    try {
      for (const _draw of draws) yield this.#groupOf(await this.#queue.take())
    } finally {
      this.#cancel(interruption(signal))
      await working
      ticking.abort()
      await watching
      signal.removeEventListener('abort', onAbort)
    }
  }

  #surroundings(): WaitSurroundings | null {
    const { oldest, counts } = this.#queue
    if (oldest === null) return null
    const { purpose, rolloutsPerDraw, surroundings } = this.#request
    const { draw, played } = oldest
    const around = surroundings?.().map((text) => ({ text })) ?? []
    return {
      waiter: `group ${draw.id} of ${draw.taskId} (${purpose}), ${played} of ${rolloutsPerDraw} rollouts done`,
      nodes: [queueNode(counts, draw.id, this.#launches.waiting), ...around],
    }
  }

  #cancel(reason: unknown): void {
    this.#queue.fail(reason)
    this.#stop.abort(reason)
    this.#progress.cancelAll(cancelGraceMs)
  }

  async #work(): Promise<void> {
    for (;;) {
      const job = await this.#queue.next()
      if (job === null) return
      if (job.rolloutIndex === 0) this.#prepareAfter(job.position)
      try {
        const member = await this.#launches.start(() => this.#member(job))
        if (member === null) return
        this.#queue.deliver(job, member)
      } catch (error) {
        this.#cancel(error)
        return
      }
      const pause = this.#breather.pause()
      if (pause !== null) await pause
    }
  }

  /** The worlds of the next draws are loaded while those of this one wait for a policy. */
  #prepareAfter(position: number): void {
    const { draws } = this.#request
    const coming = draws.slice(position + 1, position + 1 + drawsPrepared)
    setImmediate(() => {
      for (const [index, draw] of coming.entries()) {
        const place = this.#plan.places[position + 1 + index] as TaskPlace
        if (!this.#stop.signal.aborted) this.#parts.player.prepare(place.environment, draw)
      }
    })
  }

  /** Plays a member until it ends in something that another attempt cannot mend; null when the collection was stopped. */
  async #member(job: MemberJob): Promise<PlayedMember | null> {
    const { config, retryDelayMs, clock } = this.#parts
    const failed: JudgedTrajectory[] = []
    for (let attempt = 1; ; attempt++) {
      const judged = await this.#attempt(job, attempt)
      const { outcome } = judged
      const again = outcome.kind === 'environment_fault' && outcome.retryable && attempt < config.maxAttempts
      if (this.#stop.signal.aborted && (again || outcome.kind === 'cancelled')) return null
      if (!again || this.#parts.droppedTasks.has(job.draw.taskId)) {
        this.#parts.events({ type: 'rollout:end', judged, purpose: this.#request.purpose })
        return { judged, failed }
      }
      failed.push(judged)
      try {
        await clock.sleep(retryDelayMs * 2 ** (attempt - 1), this.#stop.signal)
      } catch {
        return null
      }
    }
  }

  async #attempt(job: MemberJob, attempt: number): Promise<JudgedTrajectory> {
    const { player, clock, droppedTasks } = this.#parts
    const { draw, rolloutIndex } = job
    const place = this.#plan.places[job.position] as TaskPlace
    const { policy, sampling } = this.#plan
    const plan: AttemptPlan = { ...place, draw, rolloutIndex, attempt, policy, sampling }
    const dropped = droppedTasks.get(draw.taskId)
    const startedAt = clock.now()
    const judged = await (dropped === undefined
      ? player.play(plan, { signal: this.#stop.signal, progress: this.#progress })
      : player.conclude(plan, droppedStop(dropped), this.#stop.signal))
    const durationMs = clock.now() - startedAt
    this.#request.onTiming?.({ id: judged.trajectory.id, attempt, startedAt, durationMs })
    return judged
  }

  #groupOf({ draw, members, failed }: FinishedGroup): TrajectoryGroup {
    if (failed.length > 0) this.#request.onFailedAttempts?.(failed)
    this.#dropIfNeverOpened(draw.taskId, members)
    return {
      drawId: draw.id,
      ordinal: draw.ordinal,
      taskId: draw.taskId,
      environmentId: draw.environmentId,
      policyVersion: draw.policyVersion,
      members,
    }
  }

  #dropIfNeverOpened(taskId: string, members: readonly JudgedTrajectory[]): void {
    const { droppedTasks, events, config } = this.#parts
    const outcome = members[0]?.outcome
    if (outcome?.kind !== 'environment_fault' || droppedTasks.has(taskId)) return
    const neverOpened = members.every((member) => {
      return member.outcome.kind === 'environment_fault' && openCodes.has(member.outcome.code)
    })
    if (!neverOpened) return
    droppedTasks.set(taskId, outcome.message)
    const message = `task ${taskId} is dropped: its world did not open in ${config.maxAttempts} attempts: ${outcome.message}`
    events({ type: 'warning', message, plugin: null, hook: 'world' })
  }
}

/** A dropped task's world is not opened again. */
function droppedStop(message: string): StopReason {
  return { kind: 'faulted', in: 'environment', code: faultCodes.taskDropped, message }
}

function interruption(signal: AbortSignal): RlenvError {
  if (isRlenvError(signal.reason)) return signal.reason
  return new RlenvError('the rollouts were interrupted', {
    code: 'RLENV_INTERRUPTED',
    fix: 'Resume the run.',
    cause: signal.reason,
  })
}
