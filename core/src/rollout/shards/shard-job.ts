import type { JudgedTrajectory } from '../../vocabulary/trajectory.ts'
import type { AttemptPlan, AttemptScope } from '../attempt-runner.ts'
import { Conversations } from './policy-server.ts'

/** A shard, as a job knows it. */
interface JobHolder {
  readonly number: number
  cancel(job: ShardJob): void
}

/** One attempt that is played in a shard, as the orchestrator holds it. */
export class ShardJob {
  /** Names it in messages; above 0. */
  readonly slot: number
  readonly plan: AttemptPlan
  readonly scope: AttemptScope
  /** Settles with what came of it. */
  readonly judged: Promise<JudgedTrajectory>
  readonly #settle: { readonly resolve: (judged: JudgedTrajectory) => void; readonly reject: (error: unknown) => void }
  #sampling = new AbortController()
  #conversations = new Conversations()
  #isSettled = false
  readonly #onHolder: (holder: JobHolder) => void
  #holder: JobHolder | null = null

  /** @param onHolder - told each shard that takes it in hand. */
  constructor(slot: number, plan: AttemptPlan, scope: AttemptScope, onHolder: (holder: JobHolder) => void) {
    let resolve: (judged: JudgedTrajectory) => void = () => undefined
    let reject: (error: unknown) => void = () => undefined
    this.judged = new Promise((onJudged, onError) => {
      resolve = onJudged
      reject = onError
    })
    // It may fail after whoever played it has given it up.
    this.judged.catch(() => undefined)
    this.slot = slot
    this.plan = plan
    this.scope = scope
    this.#onHolder = onHolder
    this.#settle = { resolve, reject }
  }

  /** The shard that has it in hand. */
  get holder(): JobHolder | null {
    return this.#holder
  }

  held(holder: JobHolder): void {
    this.#holder = holder
    this.#onHolder(holder)
  }

  get isSettled(): boolean {
    return this.#isSettled
  }

  /** Ends what is sampled for it. */
  get sampling(): AbortSignal {
    return this.#sampling.signal
  }

  get conversations(): Conversations {
    return this.#conversations
  }

  /** Nothing of an earlier start counts any more: it is played anew, with the same plan. */
  restart(): void {
    this.stopSampling()
    this.#sampling = new AbortController()
    this.#conversations = new Conversations()
  }

  stopSampling(): void {
    this.#sampling.abort(ended)
  }

  resolve(judged: JudgedTrajectory): void {
    this.#end()
    this.#settle.resolve(judged)
  }

  reject(error: unknown): void {
    this.#end()
    this.#settle.reject(error)
  }

  #end(): void {
    this.#isSettled = true
    this.stopSampling()
  }
}

/** Made once: an exception with its stack is dear. */
const ended = new DOMException('the rollout has ended', 'AbortError')
