import { contentHash } from '../../determinism/content-hash.ts'
import { isRlenvError, messageOf, RlenvError } from '../../errors/rlenv-error.ts'
import type { World, WorldInstance, WorldRequest } from '../../hooks/world.ts'
import type { Pipeline, PipelineRecipe } from '../../plugin/pipeline.ts'
import { sectionLimits } from '../../rollout/shards/hang-detector.ts'
import { shareOfMemory } from '../../rollout/shards/share-of-memory.ts'
import type { Verdict } from '../../vocabulary/outcome.ts'
import { type ControlSide, type JudgedSession, unscored } from '../session-judge.ts'
import type { SessionLimits } from '../session-limits.ts'
import type { SessionState } from '../session-state.ts'
import { RemoteWorld } from './remote-world.ts'
import { lostTo, SessionWorker, type WorkerOwner } from './session-worker.ts'
import { describeLoss, type WorkerLoss } from './world-lost.ts'

export interface WorkerPoolOptions {
  readonly size: number
  /** MiB that one may hold; null = its share of the machine's memory. */
  readonly memoryMib: number | null
  readonly pipeline: Pipeline | null
  /** How long one entry into a world's code, or into a verifier's, may keep its process to itself. */
  readonly limits: Pick<SessionLimits, 'toolTimeoutMs' | 'verifierTimeoutMs'>
  readonly seed: number
  readonly log: (line: string) => void
}

/** How the workers are. */
export interface WorkerCounts {
  readonly size: number
  /** Those that answer now. */
  readonly ready: number
  /** How often one was lost and replaced. */
  readonly restarts: number
}

/** Milliseconds in which a worker must have closed what it has open. */
const stopPatienceMs = 2_000

/** Workers that may end one after the other before they can work. */
const mostFutileStarts = 3

/**
 * Worlds in processes of their own, each with its tools and verifiers. One that does not come back, or that ends, takes
 * the worlds of its process with it and nothing else: the process is replaced.
 */
export class WorkerPool implements World, ControlSide {
  readonly name = 'workers'
  readonly #options: WorkerPoolOptions
  readonly #pipeline: Pipeline
  readonly #recipe: PipelineRecipe
  readonly #workers = new Set<SessionWorker>()
  readonly #owner: WorkerOwner
  readonly #started: Promise<void>
  #onStarted: () => void = () => undefined
  #onFailed: (error: Error) => void = () => undefined
  #worlds = 0
  #restarts = 0
  #futileStarts = 0
  #failure: Error | null = null
  #isClosing = false

  /** @throws {RlenvError} RLENV_CONFIG_INVALID when the pipeline cannot be assembled anywhere else. */
  constructor(options: WorkerPoolOptions) {
    this.#options = options
    const { pipeline } = options
    if (pipeline?.recipe == null) throw withoutFile()
    this.#pipeline = pipeline
    this.#recipe = pipeline.recipe
    this.#owner = {
      ready: (_worker, plugins) => this.#ready(plugins),
      lost: (worker, loss) => this.#lost(worker, loss),
      failed: (_worker, error) => this.#fail(error),
      log: (plugin, message) => this.#recipe.log(plugin, message),
    }
    this.#started = new Promise((resolve, reject) => {
      this.#onStarted = resolve
      this.#onFailed = reject
    })
    // Whoever opens a world hears of it as well.
    this.#started.catch(() => undefined)
    for (let index = 0; index < options.size; index++) this.#start()
  }

  get counts(): WorkerCounts {
    const ready = [...this.#workers].filter(({ isReady, isLost }) => isReady && !isLost).length
    return { size: this.#options.size, ready, restarts: this.#restarts }
  }

  /** Resolves when every worker can work for the first time. @throws {RlenvError} what keeps them from it. */
  ready(): Promise<void> {
    return this.#started
  }

  /** In the process that holds the fewest worlds; one that can work goes before one that is starting. */
  async open(request: WorldRequest): Promise<WorldInstance> {
    if (this.#failure !== null) throw this.#failure
    const [least] = [...this.#workers].sort((a, b) => Number(b.isReady) - Number(a.isReady) || a.load - b.load)
    if (least === undefined) throw workersFailed('the workers are being closed')
    return RemoteWorld.open(least, ++this.#worlds, request)
  }

  async state(world: WorldInstance): Promise<SessionState | null> {
    return remote(world).state()
  }

  /** Never rejects for a world that is lost: there is no verdict on it. */
  async verdict({ world, task, seed, calls, answer }: JudgedSession): Promise<Verdict> {
    if (task === null) return unscored('the session has no task')
    try {
      return await remote(world).verify({ taskId: task.id, seed, calls, answer })
    } catch (cause) {
      if (isRlenvError(cause) && cause.code === 'RLENV_WORLD_UNAVAILABLE') return unscored(messageOf(cause))
      throw cause
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.all([...this.#workers].map((worker) => worker.stop(stopPatienceMs)))
    this.#workers.clear()
  }

  #start(): void {
    const { limits, seed, size, memoryMib } = this.#options
    const { toolTimeoutMs, verifierTimeoutMs } = limits
    const setup = {
      recipe: this.#recipe.options,
      seed,
      verifierTimeoutMs,
      limits: { toolTimeoutMs },
      sectionLimits: sectionLimits({ toolTimeoutMs, turnTimeoutMs: toolTimeoutMs, verifierTimeoutMs }),
      memoryMib: memoryMib ?? shareOfMemory(size),
    }
    this.#workers.add(new SessionWorker(setup, this.#owner))
  }

  #ready(plugins: string): void {
    this.#futileStarts = 0
    if (plugins !== contentHash(this.#pipeline.report)) {
      this.#fail(
        workersFailed(
          'a worker has loaded another configuration than this server: the file has changed, or depends on more than it says',
        ),
      )
    } else if (this.counts.ready === this.#options.size) this.#onStarted()
  }

  #lost(worker: SessionWorker, loss: WorkerLoss): void {
    if (this.#isClosing || this.#failure !== null || !this.#workers.delete(worker)) return
    worker.lose(lostTo(loss))
    void worker.kill()
    const why = describeLoss(loss)
    if (!worker.isReady && ++this.#futileStarts >= mostFutileStarts) {
      this.#fail(workersFailed(`workers of the server do not start: ${why}`))
      return
    }
    this.#restarts++
    this.#options.log(`a worker was replaced, and ${worker.load} worlds with it are lost: ${why}`)
    this.#start()
  }

  /** No world can be opened any more. */
  #fail(error: Error): void {
    if (this.#failure !== null) return
    this.#failure = error instanceof RlenvError ? error : workersFailed(error.message, error)
    this.#onFailed(this.#failure)
    for (const worker of this.#workers) {
      worker.lose(() => this.#failure as Error)
      void worker.kill()
    }
  }
}

function remote(world: WorldInstance): RemoteWorld {
  if (world instanceof RemoteWorld) return world
  throw new TypeError('the world is not one of the workers')
}

function workersFailed(message: string, cause?: unknown): RlenvError {
  return new RlenvError(message, {
    code: 'RLENV_SHARD_FAILED',
    fix: 'Repair what the message names, or serve with 0 workers.',
    ...(cause === undefined ? {} : { cause }),
  })
}

function withoutFile(): RlenvError {
  return new RlenvError('the server was asked for workers, but has no configuration that they could load', {
    code: 'RLENV_CONFIG_INVALID',
    fix: 'Load the pipeline from a configuration file, or serve with 0 workers.',
  })
}
