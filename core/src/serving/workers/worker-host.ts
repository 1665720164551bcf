import { contentHash } from '../../determinism/content-hash.ts'
import { freezeData } from '../../determinism/freeze-data.ts'
import { isPromise } from '../../rollout/deadline.ts'
import type { OwnProcess } from '../../rollout/shards/own-process.ts'
import { SentTools } from '../../rollout/shards/served-policy.ts'
import { packError } from '../../rollout/shards/thrown-error.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import { HostedWorld, type Workplace } from './hosted-world.ts'
import type { Answers, Ask, FromWorker, OfferedTools, QuestionKind, ToWorker, WorkerSetup } from './worker-messages.ts'

/** What a worker plays worlds with, and how that ends. */
export type WorkerParts = Pick<Workplace, 'pipeline' | 'world'> & { close(): Promise<void> }

/** Loads the configuration of a recipe. */
export type AssembleWorker = (
  setup: WorkerSetup,
  log: (plugin: string, message: string) => void,
) => Promise<WorkerParts>

export type WorkerProcess = OwnProcess<WorkerSetup, ToWorker, FromWorker>

type Answer = Answers[QuestionKind]

/** A worker from the inside: holds the worlds of sessions and answers what is asked about them. */
export class WorkerHost {
  readonly #process: WorkerProcess
  readonly #assemble: AssembleWorker
  readonly #environments = new Map<string, Environment>()
  readonly #worlds = new Map<number, HostedWorld>()
  readonly #tools = new SentTools()
  #place: Workplace | null = null
  #parts: WorkerParts | null = null
  #taken: Promise<void> = Promise.resolve()

  constructor(process: WorkerProcess, assemble: AssembleWorker) {
    this.#process = process
    this.#assemble = assemble
  }

  /** Takes messages in order until it is stopped. */
  serve(): void {
    this.#process.channel.listen((message) => {
      this.#taken = this.#taken.then(() => this.#take(message)).catch((error: unknown) => this.#fail(error))
    })
  }

  #send(message: FromWorker): void {
    this.#process.channel.send(message)
  }

  #fail(error: unknown): void {
    this.#send({ kind: 'failed', error: packError(error) })
  }

  #take(message: ToWorker): void | Promise<void> {
    switch (message.kind) {
      case 'setup':
        return this.#setUp(message)
      case 'environment':
        this.#environments.set(message.environment.id, freezeData(message.environment))
        return
      case 'ask':
        return this.#hear(message)
      case 'cancel':
        this.#worlds.get(message.world)?.cancel()
        return
      case 'stop':
        return this.#stop()
    }
  }

  async #setUp(setup: WorkerSetup): Promise<void> {
    const { seed, verifierTimeoutMs } = setup
    const marks = await this.#process.marks(setup)
    const log = (plugin: string, message: string) => this.#send({ kind: 'log', plugin, message })
    const parts = await this.#assemble(setup, log)
    const say = (line: string) => log('rlenv', line)
    this.#parts = parts
    this.#place = { ...parts, marks, seed, verifierTimeoutMs, instances: new WeakMap(), log: say }
    marks.startBeating()
    this.#send({ kind: 'ready', plugins: contentHash(parts.pipeline.report) })
  }

  /** Answers now or later; what comes next is not kept waiting. */
  #hear(asked: Ask): void {
    const threw = (error: unknown) => this.#send({ kind: 'threw', ask: asked.ask, error: packError(error) })
    const say = (answer: Answer) => {
      try {
        this.#send({ kind: 'answer', ask: asked.ask, answer })
      } catch (error) {
        // It holds something that cannot be copied.
        threw(error)
      }
    }
    try {
      const answer = this.#answer(asked)
      if (isPromise(answer)) answer.then(say, threw)
      else say(answer)
    } catch (error) {
      threw(error)
    }
  }

  #answer(asked: Ask): Answer | Promise<Answer> {
    if (asked.about === 'open') return this.#open(asked.world, asked.question)
    const world = this.#worlds.get(asked.world)
    if (world === undefined) throw new TypeError(`the worker holds no world ${asked.world}`)
    switch (asked.about) {
      case 'call':
        return world.call(asked.question.name, asked.question.args)
      case 'capture':
        return world.capture()
      case 'read':
        return world.read(asked.question)
      case 'verify':
        return world.verify(asked.question)
      case 'close':
        return this.#close(asked.world, world)
    }
  }

  async #open(
    number: number,
    { environmentId, seed }: Extract<Ask, { about: 'open' }>['question'],
  ): Promise<OfferedTools> {
    const environment = this.#environments.get(environmentId)
    if (this.#place === null || environment === undefined) {
      throw new TypeError(`the worker was never told of ${environmentId}`)
    }
    const world = await HostedWorld.open(this.#place, number, { environment, seed })
    this.#worlds.set(number, world)
    return this.#tools.name(world.tools)
  }

  async #close(number: number, world: HostedWorld): Promise<null> {
    this.#worlds.delete(number)
    await world.close()
    return null
  }

  async #stop(): Promise<void> {
    for (const world of this.#worlds.values()) world.cancel()
    await this.#parts?.close()
    this.#process.exit()
  }
}
