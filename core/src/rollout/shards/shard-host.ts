import { systemClock } from '../../determinism/clock.ts'
import { contentHash } from '../../determinism/content-hash.ts'
import { freezeData } from '../../determinism/freeze-data.ts'
import { RlenvError } from '../../errors/rlenv-error.ts'
import type { Policy } from '../../hooks/roles.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import type { JudgedTrajectory } from '../../vocabulary/trajectory.ts'
import { Breather } from '../breather.ts'
import { LaunchQueue } from '../launch-queue.ts'
import { ProgressWatch } from '../progress-watch.ts'
import { SentTools } from './served-policy.ts'
import { ShardAttempt, type ShardWorkshop } from './shard-attempt.ts'
import type { ShardMarks } from './shard-marks.ts'
import type { FromShard, PlayMessage, ShardSetup, ToShard } from './shard-messages.ts'
import type { AssembleShard, ShardParts } from './shard-parts.ts'
import { packError } from './thrown-error.ts'

/** How a shard and its orchestrator talk. */
export interface ShardChannel {
  send(message: FromShard): void
  /** Called once. */
  listen(take: (message: ToShard) => void): void
}

/** What differs between a thread and a process. */
export interface ShardSurroundings {
  readonly channel: ShardChannel
  /** The memory for marks; a process starts its guard here. */
  marks(setup: ShardSetup): Promise<ShardMarks>
  /** Ends the thread or process. */
  exit(): void
}

/** A shard from the inside: plays what it is told to, entirely, and sends judged trajectories back. */
export class ShardHost {
  readonly #surroundings: ShardSurroundings
  readonly #assemble: AssembleShard
  readonly #environments = new Map<string, Environment>()
  readonly #attempts = new Map<number, ShardAttempt>()
  readonly #policies = new Map<number, Policy>()
  readonly #launches = new LaunchQueue()
  readonly #breather = new Breather()
  readonly #ending = new AbortController()
  #workshop: ShardWorkshop | null = null
  #parts: ShardParts | null = null
  #taken: Promise<void> = Promise.resolve()

  constructor(surroundings: ShardSurroundings, assemble: AssembleShard) {
    this.#surroundings = surroundings
    this.#assemble = assemble
  }

  /** Takes messages one after the other until it is stopped. */
  serve(): void {
    this.#surroundings.channel.listen((message) => {
      this.#taken = this.#taken.then(() => this.#take(message)).catch((error: unknown) => this.#fail(error))
    })
  }

  #send(message: FromShard): void {
    this.#surroundings.channel.send(message)
  }

  /** The shard is of no use; the orchestrator decides what becomes of it. */
  #fail(error: unknown): void {
    this.#send({ kind: 'failed', error: packError(error) })
  }

  async #take(message: ToShard): Promise<void> {
    switch (message.kind) {
      case 'setup':
        return this.#setUp(message)
      case 'environment':
        this.#environments.set(message.environment.id, message.environment)
        return
      case 'prepare':
        return this.#prepare(message.environmentId)
      case 'weights':
        return this.#restore(message)
      case 'play':
        void this.#play(message)
        return
      case 'sampled':
        this.#attempts.get(message.slot)?.answer(message)
        return
      case 'cancel':
        this.#attempts.get(message.slot)?.cancel()
        return
      case 'stop':
        return this.#stop()
    }
  }

  async #setUp(setup: ShardSetup): Promise<void> {
    const { number, seed, limits, verifierTimeoutMs, progressDeadlineMs } = setup
    const marks = await this.#surroundings.marks(setup)
    const events: ShardWorkshop['events'] = (event) => this.#send({ kind: 'event', event })
    const log = (plugin: string, message: string) => this.#send({ kind: 'log', plugin, message })
    const parts = await this.#assemble(setup.recipe, seed, { events, log })
    const progress = new ProgressWatch(systemClock, events, progressDeadlineMs, () => {
      return { waiter: `the rollouts of shard ${number}`, nodes: [] }
    })
    void progress.run(this.#ending.signal)
    this.#parts = parts
    this.#workshop = {
      pipeline: parts.pipeline,
      strategy: parts.strategy,
      limits,
      seed,
      events,
      clock: systemClock,
      verifierTimeoutMs,
      worlds: { world: parts.world, events, clock: systemClock, seen: new WeakSet() },
      marks,
      progress,
      instances: new WeakMap(),
      hashes: new Set(),
      tools: new SentTools(),
      send: (message) => this.#send(message),
    }
    marks.startBeating()
    this.#send({ kind: 'ready', plugins: contentHash(parts.pipeline.report) })
  }

  async #prepare(environmentId: string): Promise<void> {
    const environment = this.#environments.get(environmentId)
    try {
      if (environment !== undefined) await this.#parts?.world.prepare?.(environment)
    } catch {
      // It shows again, and counts, when an instance is opened.
    }
  }

  async #restore({ id, name, version, state }: Extract<ToShard, { kind: 'weights' }>): Promise<void> {
    const policy = this.#policies.get(id) ?? (await this.#parts?.policy())
    if (policy?.restore === undefined || policy.name !== name) {
      throw new RlenvError(
        `the run samples with ${name}, and its configuration builds ${policy?.name ?? 'no policy'}`,
        {
          code: 'RLENV_SHARD_FAILED',
          hook: 'policy',
          fix: 'Sample with the policy of the configuration, or set rollout.mode to "inline".',
        },
      )
    }
    policy.restore({ version, state })
    this.#policies.set(id, policy)
  }

  async #play(message: PlayMessage): Promise<void> {
    const { slot, draw } = message
    const environment = this.#environments.get(draw.environmentId)
    const task = environment?.tasks.find(({ id }) => id === draw.taskId)
    try {
      if (this.#workshop === null || environment === undefined || task === undefined) {
        throw new TypeError(`the shard was never told of ${draw.taskId}`)
      }
      const place = { environment, task: freezeData(task) }
      const attempt = new ShardAttempt(this.#workshop, message, place, this.#policies)
      this.#attempts.set(slot, attempt)
      const judged = await this.#launches.start(async () => {
        const pause = this.#breather.pause()
        if (pause !== null) await pause
        return attempt.play()
      })
      this.#sendJudged(slot, judged)
    } catch (error) {
      this.#send({ kind: 'threw', slot, error: packError(error) })
    } finally {
      this.#attempts.delete(slot)
    }
  }

  #sendJudged(slot: number, judged: JudgedTrajectory): void {
    try {
      this.#send({ kind: 'ended', slot, judged })
    } catch {
      // A plugin put something into it that cannot be copied; files would hold the rest of it as well.
      this.#send({ kind: 'ended', slot, judged: JSON.parse(JSON.stringify(judged)) as JudgedTrajectory })
    }
  }

  async #stop(): Promise<void> {
    for (const attempt of this.#attempts.values()) attempt.cancel()
    this.#ending.abort()
    await this.#parts?.close()
    this.#surroundings.exit()
  }
}
