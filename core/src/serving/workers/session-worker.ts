import type { RlenvError } from '../../errors/rlenv-error.ts'
import type { Hang } from '../../rollout/shards/hang-detector.ts'
import { openProcess } from '../../rollout/shards/process-link.ts'
import type { LinkEnd, LinkListener, ShardLink } from '../../rollout/shards/shard-link.ts'
import { unpackError } from '../../rollout/shards/thrown-error.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import type { ToolDefinition } from '../../vocabulary/tool.ts'
import type {
  Answers,
  Ask,
  FromWorker,
  OfferedTools,
  QuestionKind,
  Questions,
  ToWorker,
  WorkerSetup,
} from './worker-messages.ts'
import { type WorkerLoss, worldLost } from './world-lost.ts'

/** What a worker tells its pool. */
export interface WorkerOwner {
  /** `plugins`: hash of its pipeline's report. */
  ready(worker: SessionWorker, plugins: string): void
  lost(worker: SessionWorker, loss: WorkerLoss): void
  /** It cannot work at all. */
  failed(worker: SessionWorker, error: Error): void
  log(plugin: string, message: string): void
}

/** Starts a process and gives the link to it. */
export type OpenWorker = (module: string, setup: WorkerSetup, listener: LinkListener<FromWorker>) => ShardLink<ToWorker>

interface Pending {
  readonly world: number
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
}

const module = new URL(`./worker-main.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url).href

/** One worker process as its pool sees it. */
export class SessionWorker {
  readonly #link: ShardLink<ToWorker>
  readonly #owner: WorkerOwner
  readonly #pending = new Map<number, Pending>()
  readonly #environments = new Map<string, Environment>()
  readonly #lists = new Map<number, readonly ToolDefinition[]>()
  #asked = 0
  #isReady = false
  #loss: ((world: number) => Error) | null = null
  /** Worlds that it holds or opens. */
  load = 0

  constructor(setup: WorkerSetup, owner: WorkerOwner, open: OpenWorker = openProcess) {
    this.#owner = owner
    this.#link = open(module, setup, {
      message: (message) => this.#take(message),
      slow: () => undefined,
      hung: (hang: Hang) => owner.lost(this, hang),
      ended: (end: LinkEnd) => owner.lost(this, end),
    })
    this.#link.setBusy(true)
  }

  get isReady(): boolean {
    return this.#isReady
  }

  get isLost(): boolean {
    return this.#loss !== null
  }

  /** Sends an environment, once. */
  learn(environment: Environment): void {
    if (this.#environments.get(environment.id) === environment) return
    this.#environments.set(environment.id, environment)
    this.#link.post({ kind: 'environment', environment })
  }

  /**
   * Asks about one world.
   *
   * @throws {RlenvError} RLENV_WORLD_UNAVAILABLE when the process is lost before it has answered; what was thrown there.
   */
  ask<Kind extends QuestionKind>(world: number, about: Kind, question: Questions[Kind]): Promise<Answers[Kind]> {
    if (this.#loss !== null) return Promise.reject(this.#loss(world))
    const ask = ++this.#asked
    return new Promise((resolve, reject) => {
      this.#pending.set(ask, { world, resolve, reject })
      if (this.#pending.size === 1) this.#link.setBusy(true)
      this.#link.post({ kind: 'ask', ask, world, about, question } as Ask)
    })
  }

  cancel(world: number): void {
    if (this.#loss === null) this.#link.post({ kind: 'cancel', world })
  }

  /** The list that an opened world offers; all of one environment share it. */
  toolsOf({ id, list }: OfferedTools): readonly ToolDefinition[] {
    if (list !== null) this.#lists.set(id, list)
    return this.#lists.get(id) ?? []
  }

  /** Whatever was asked, and is asked from now on, ends with this. */
  lose(reason: (world: number) => Error): void {
    this.#loss = reason
    for (const { world, reject } of this.#pending.values()) reject(reason(world))
    this.#pending.clear()
  }

  kill(): Promise<boolean> {
    return this.#link.kill()
  }

  /** Lets it close what it has open; by force after so many milliseconds. */
  async stop(patienceMs: number): Promise<void> {
    this.#link.setBusy(true)
    this.#link.post({ kind: 'stop' })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs)
    })
    await Promise.race([this.#link.over, late])
    clearTimeout(timer)
    await this.#link.kill()
  }

  #take(message: FromWorker): void {
    switch (message.kind) {
      case 'answer':
        this.#settle(message.ask, ({ resolve }) => resolve(message.answer as never))
        break
      case 'threw':
        this.#settle(message.ask, ({ reject }) => reject(unpackError(message.error)))
        break
      case 'ready':
        this.#isReady = true
        this.#restWhenIdle()
        this.#owner.ready(this, message.plugins)
        break
      case 'failed':
        this.#owner.failed(this, unpackError(message.error))
        break
      case 'log':
        this.#owner.log(message.plugin, message.message)
    }
  }

  #settle(ask: number, settle: (pending: Pending) => void): void {
    const pending = this.#pending.get(ask)
    if (pending === undefined) return
    this.#pending.delete(ask)
    this.#restWhenIdle()
    settle(pending)
  }

  /** An idle worker does not keep the server's process from ending. */
  #restWhenIdle(): void {
    if (this.#isReady && this.#pending.size === 0) this.#link.setBusy(false)
  }
}

/** What a world of a lost worker answers. */
export const lostTo =
  (loss: WorkerLoss) =>
  (world: number): RlenvError =>
    worldLost(loss, world)
