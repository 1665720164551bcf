import { availableParallelism } from 'node:os'
import type { RolloutMode } from '../../config/rlenv-config.ts'
import type { Clock } from '../../determinism/clock.ts'
import { contentHash } from '../../determinism/content-hash.ts'
import { RlenvError } from '../../errors/rlenv-error.ts'
import type { Draw, Policy, RolloutLimits } from '../../hooks/roles.ts'
import type { Pipeline, PipelineRecipe } from '../../plugin/pipeline.ts'
import type { EventSink } from '../../telemetry/run-event.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import type { StopReason } from '../../vocabulary/outcome.ts'
import type { JudgedTrajectory } from '../../vocabulary/trajectory.ts'
import type { AttemptPlayer } from '../attempt-player.ts'
import { type AttemptPlan, type AttemptRunner, type AttemptScope, attemptLabel } from '../attempt-runner.ts'
import { Flight } from '../flight.ts'
import { crashStop, hangStop } from './attempt-end.ts'
import { DrawPlaces } from './draw-places.ts'
import { type Hang, sectionLimits } from './hang-detector.ts'
import { openProcess } from './process-link.ts'
import { Publisher } from './publisher.ts'
import { Quarantine } from './quarantine.ts'
import { Shard, type ShardOwner, shardFailed } from './shard.ts'
import { ShardJob } from './shard-job.ts'
import type { LinkEnd, OpenLink } from './shard-link.ts'
import type { ShardSetup } from './shard-messages.ts'
import { shareOfMemory } from './share-of-memory.ts'
import { openThread } from './thread-link.ts'

export interface ShardPoolOptions {
  readonly mode: Exclude<RolloutMode, 'inline'>
  /** Null = one fewer than there are cores. */
  readonly shards: number | null
  /** MiB that one may hold; null = its share of the machine's memory. */
  readonly memoryMib: number | null
  readonly pipeline: Pipeline
  /** Decides about attempts that came to no end of their own. */
  readonly player: AttemptPlayer
  /** The run's own; one that can be copied is copied into the shards. */
  readonly policy: Policy
  readonly limits: RolloutLimits
  readonly seed: number
  readonly verifierTimeoutMs: number
  readonly progressDeadlineMs: number
  readonly events: EventSink
  readonly clock: Clock
}

/** Milliseconds beyond what a shard itself gives an attempt. */
const graceMs = 15_000

/** Milliseconds in which a shard must have closed what it has open. */
const stopPatienceMs = 2_000

/** Shards that may end one after the other before they can work. */
const mostFutileStarts = 3

/** Plays attempts in threads or processes, each entirely in one of them. */
export class ShardPool implements AttemptRunner {
  readonly #options: ShardPoolOptions
  readonly #recipe: PipelineRecipe
  readonly #open: OpenLink
  readonly #size: number
  readonly #shards = new Set<Shard>()
  readonly #places = new DrawPlaces()
  readonly #publisher: Publisher
  readonly #quarantine: Quarantine
  readonly #owner: ShardOwner
  /** Started because a shard looks as if it will have to be replaced. */
  #spare: Shard | null = null
  #slots = 0
  #started = 0
  #futileStarts = 0
  #failure: RlenvError | null = null
  #isClosing = false

  /** @throws {RlenvError} RLENV_CONFIG_INVALID when the pipeline cannot be assembled anywhere else. */
  constructor(options: ShardPoolOptions) {
    this.#options = options
    this.#recipe = recipeOf(options)
    this.#open = options.mode === 'workers' ? openThread : openProcess
    this.#size = options.shards ?? Math.max(1, availableParallelism() - 1)
    this.#publisher = new Publisher(options.policy)
    this.#quarantine = new Quarantine({
      start: () => this.#start(),
      play: (shard, job) => shard.play(job, this.#publisher.publicationOf(job.plan.policy)),
      blame: (shard, job, cause) => void this.#blame(shard, job, cause, shard.kill()),
    })
    this.#owner = {
      ready: (shard, plugins) => this.#ready(shard, plugins),
      settled: (shard) => this.#settled(shard),
      slow: (shard) => this.#slow(shard),
      hung: (shard, hang) => this.#lost(shard, hang),
      ended: (shard, end) => this.#lost(shard, end),
      failed: (_shard, error) => this.#fail(error),
      heard: (message) => this.#heard(message),
    }
  }

  begin(policy: Policy): void {
    this.#publisher.refresh(policy, this.#all())
  }

  prepare(environment: Environment, draw: Draw): void {
    if (this.#isClosing || this.#failure !== null) return
    const shard = this.#shardFor(draw)
    this.#places.promise(draw, shard)
    shard.prepare(environment)
  }

  async play(plan: AttemptPlan, scope: AttemptScope): Promise<JudgedTrajectory> {
    const { clock, player, limits } = this.#options
    const now = clock.now()
    const deadline = now + limits.rolloutTimeoutMs + 2 * limits.toolTimeoutMs + graceMs
    const flight = new Flight(attemptLabel(plan), { state: 'shard', target: 'to come' }, now, deadline)
    const job = new ShardJob(++this.#slots, plan, scope, ({ number }) => {
      flight.wait({ state: 'shard', target: `${number}` }, clock.now())
    })
    const onAbort = () => job.holder?.cancel(job)
    scope.progress.add(flight)
    scope.signal.addEventListener('abort', onAbort, { once: true })
    try {
      this.#dispatch(job)
      const conclude = (stop: StopReason) => player.conclude(plan, stop, scope.signal)
      return await Promise.race([job.judged, flight.abandoned.then(conclude)])
    } finally {
      scope.signal.removeEventListener('abort', onAbort)
      flight.end()
      scope.progress.delete(flight)
      if (!job.isSettled) job.holder?.cancel(job)
    }
  }

  conclude(plan: AttemptPlan, stop: StopReason, signal: AbortSignal): Promise<JudgedTrajectory> {
    return this.#options.player.conclude(plan, stop, signal)
  }

  /** Ends every shard; what they have open is closed first, where they let it. */
  async close(): Promise<void> {
    this.#isClosing = true
    const ended = await Promise.all(this.#all().map((shard) => shard.stop(stopPatienceMs)))
    this.#shards.clear()
    if (ended.includes(false)) {
      this.#warn('a thread of the rollouts cannot be ended; this process ends when its last call comes back')
    }
  }

  #all(): readonly Shard[] {
    const { shard } = this.#quarantine
    return [...this.#shards, ...(this.#spare === null ? [] : [this.#spare]), ...(shard === null ? [] : [shard])]
  }

  #dispatch(job: ShardJob): void {
    if (this.#failure !== null) {
      job.reject(this.#failure)
      return
    }
    const { draw, policy } = job.plan
    this.#publisher.follow(policy, this.#all())
    this.#shardFor(draw).play(job, this.#publisher.publicationOf(policy))
    this.#places.keep(draw)
  }

  /** The members of a draw go to one shard. A new draw goes to the one with the least in hand, or to a new one. */
  #shardFor(draw: Draw): Shard {
    const known = this.#places.of(draw)
    if (known !== undefined && this.#shards.has(known)) return known
    const places = this.#places
    const [least] = [...this.#shards].sort((a, b) => places.burden(a) - places.burden(b) || a.load - b.load)
    const canStart = this.#shards.size < this.#size
    const chosen = least === undefined || (canStart && places.burden(least) > 0) ? this.#recruit() : least
    this.#places.set(draw, chosen)
    return chosen
  }

  #recruit(): Shard {
    const shard = this.#spare ?? this.#start()
    this.#spare = null
    this.#shards.add(shard)
    return shard
  }

  #start(): Shard {
    const { limits, seed, verifierTimeoutMs, progressDeadlineMs } = this.#options
    const number = ++this.#started
    const setup: Omit<ShardSetup, 'kind' | 'marks'> = {
      number,
      recipe: this.#recipe.options,
      seed,
      limits,
      verifierTimeoutMs,
      progressDeadlineMs,
      sectionLimits: sectionLimits({ ...limits, verifierTimeoutMs }),
      memoryMib: this.#options.memoryMib ?? shareOfMemory(this.#size),
    }
    return new Shard(number, this.#open, this.#recipe.module, setup, this.#owner)
  }

  #ready(shard: Shard, plugins: string): void {
    if (plugins === contentHash(this.#options.pipeline.report)) return
    const message = `shard ${shard.number} has loaded another configuration than this run: the file has changed, or depends on more than it says`
    this.#fail(shardFailed(message))
  }

  #settled(shard: Shard): void {
    this.#futileStarts = 0
    if (this.#quarantine.holds(shard)) this.#quarantine.settled()
  }

  /** Its replacement is made ready while there is still a chance that it is not needed. */
  #slow(shard: Shard): void {
    if (!this.#shards.has(shard) || this.#isClosing) return
    this.#spare ??= this.#start()
    this.#spare.understudy(shard)
  }

  /** A shard hung or died: one of its attempts is at fault, and the others start anew. */
  #lost(shard: Shard, cause: Hang | LinkEnd): void {
    if (this.#isClosing) return
    if (this.#spare === shard) this.#spare = null
    if (this.#quarantine.holds(shard)) this.#quarantine.lost(shard, cause)
    else if (this.#shards.delete(shard)) this.#divide(shard, cause, shard.kill())
  }

  #divide(shard: Shard, cause: Hang | LinkEnd, killed: Promise<boolean>): void {
    const jobs = shard.takeJobs().filter((job) => !job.isSettled)
    const guilty = jobs.length === 1 ? jobs[0] : jobs.find(({ slot }) => slot === cause.mark?.slot)
    if (!shard.isReady) this.#neverReady(shard, cause, jobs)
    else if (guilty === undefined) this.#quarantine.add(restarted(jobs))
    else {
      void this.#blame(shard, guilty, cause, killed)
      this.#restart(jobs.filter((job) => job !== guilty))
    }
  }

  #neverReady(shard: Shard, cause: Hang | LinkEnd, jobs: readonly ShardJob[]): void {
    const why = 'why' in cause ? cause.why : `it was stuck for ${cause.limitMs} ms`
    if (++this.#futileStarts < mostFutileStarts) this.#restart(jobs)
    else this.#fail(shardFailed(`shard ${shard.number} did not start: ${why}`), jobs)
  }

  #restart(jobs: readonly ShardJob[]): void {
    for (const job of restarted(jobs)) this.#dispatch(job)
  }

  async #blame(shard: Shard, job: ShardJob, cause: Hang | LinkEnd, killed: Promise<boolean>): Promise<void> {
    const { plan, scope } = job
    const isOver = await killed
    const stop = 'why' in cause ? crashStop(plan, cause) : hangStop(plan, cause, isOver)
    if (stop.kind === 'faulted') this.#warn(`shard ${shard.number} was replaced: ${stop.message}`)
    try {
      job.resolve(await this.#options.player.conclude(plan, stop, scope.signal))
    } catch (error) {
      job.reject(error)
    }
  }

  /** The run cannot go on: every attempt, present and future, ends with this. */
  #fail(error: Error, orphans: readonly ShardJob[] = []): void {
    const failure = error instanceof RlenvError ? error : shardFailed(error.message, error)
    this.#failure ??= failure
    for (const job of [...orphans, ...this.#all().flatMap((shard) => shard.takeJobs())]) job.reject(failure)
  }

  #heard(message: Parameters<ShardOwner['heard']>[0]): void {
    switch (message.kind) {
      case 'event':
        this.#options.events(message.event)
        break
      case 'log':
        this.#recipe.log(message.plugin, message.message)
        break
      case 'offered':
        this.#options.policy.offered?.(message.tools)
    }
  }

  #warn(message: string): void {
    this.#options.events({ type: 'warning', message, plugin: null, hook: null })
  }
}

function recipeOf({ pipeline, mode }: ShardPoolOptions): PipelineRecipe {
  if (pipeline.recipe !== null) return pipeline.recipe
  throw new RlenvError(`rollout.mode is "${mode}", but this pipeline was assembled from objects of this thread`, {
    code: 'RLENV_CONFIG_INVALID',
    fix: 'Load the configuration from a file, or set rollout.mode to "inline".',
  })
}

function restarted(jobs: readonly ShardJob[]): readonly ShardJob[] {
  for (const job of jobs) job.restart()
  return jobs
}
