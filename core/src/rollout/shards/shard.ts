import { RlenvError } from '../../errors/rlenv-error.ts'
import type { PolicySnapshot } from '../../hooks/roles.ts'
import { freezeJudged, freezeTrajectory } from '../../reward/freeze-judged.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import type { JudgedTrajectory } from '../../vocabulary/trajectory.ts'
import type { Hang } from './hang-detector.ts'
import { PolicyServer } from './policy-server.ts'
import type { ShardJob } from './shard-job.ts'
import type { LinkEnd, LinkListener, OpenLink, ShardLink } from './shard-link.ts'
import type { FromShard, SampleMessage, ShardSetup, ToShard } from './shard-messages.ts'
import { unpackError } from './thrown-error.ts'

/** What a shard tells its pool. */
export interface ShardOwner {
  /** It can work; what it was told before is being done. `plugins`: hash of its pipeline's report. */
  ready(shard: Shard, plugins: string): void
  /** One of its jobs has ended. */
  settled(shard: Shard): void
  slow(shard: Shard): void
  hung(shard: Shard, hang: Hang): void
  ended(shard: Shard, end: LinkEnd): void
  /** It cannot work at all. */
  failed(shard: Shard, error: Error): void
  /** What else it has to say. */
  heard(message: Extract<FromShard, { kind: 'event' | 'log' | 'offered' }>): void
}

/** Weights of one policy as they were published. */
export interface Publication extends PolicySnapshot {
  /** The policy's: each one has a copy of its own in a shard. */
  readonly id: number
  readonly name: string
}

/** One shard as its pool sees it: what it knows already and what it has in hand. */
export class Shard {
  readonly number: number
  readonly #link: ShardLink
  readonly #owner: ShardOwner
  readonly #server: PolicyServer
  readonly #jobs = new Map<number, ShardJob>()
  readonly #environments = new Map<string, Environment>()
  readonly #publications = new Map<number, Publication>()
  #isReady = false

  constructor(
    number: number,
    open: OpenLink,
    module: string,
    setup: Omit<ShardSetup, 'kind' | 'marks'>,
    owner: ShardOwner,
  ) {
    this.number = number
    this.#owner = owner
    this.#server = new PolicyServer((message) => this.#post(message))
    const listener: LinkListener = {
      message: (message) => this.#take(message),
      slow: () => owner.slow(this),
      hung: (hang) => owner.hung(this, hang),
      ended: (end) => owner.ended(this, end),
    }
    this.#link = open(module, setup, listener)
  }

  /** Draws with attempts in hand. */
  get draws(): number {
    return new Set([...this.#jobs.values()].map(({ plan }) => plan.draw.id)).size
  }

  /** Attempts in hand. */
  get load(): number {
    return this.#jobs.size
  }

  get isReady(): boolean {
    return this.#isReady
  }

  /** @param publication - of the job's policy; null when it is asked over the channel. */
  play(job: ShardJob, publication: Publication | null): void {
    const { slot, plan } = job
    const { draw, rolloutIndex, attempt, sampling, policy, environment } = plan
    this.learn(environment)
    if (publication !== null) this.#publish(publication)
    this.#jobs.set(slot, job)
    job.held(this)
    this.#link.setBusy(true)
    const by =
      publication === null
        ? ({ kind: 'served', name: policy.name, policyVersion: policy.policyVersion } as const)
        : ({ kind: 'own', id: publication.id } as const)
    this.#post({ kind: 'play', slot, draw, rolloutIndex, attempt, sampling, policy: by })
    if (job.scope.signal.aborted) this.cancel(job)
  }

  /** Sends an environment, once. */
  learn(environment: Environment): void {
    if (this.#environments.get(environment.id) === environment) return
    this.#environments.set(environment.id, environment)
    this.#post({ kind: 'environment', environment })
  }

  prepare(environment: Environment): void {
    if (this.#environments.get(environment.id) === environment) return
    this.learn(environment)
    this.#post({ kind: 'prepare', environmentId: environment.id })
  }

  /** Sends weights to a shard that has a copy of their policy. */
  renew(publication: Publication): void {
    if (this.#publications.has(publication.id)) this.#publish(publication)
  }

  /** Sends weights, once. */
  #publish(publication: Publication): void {
    if (this.#publications.get(publication.id) === publication) return
    this.#publications.set(publication.id, publication)
    this.#post({ kind: 'weights', ...publication })
  }

  /** Makes ready for everything that another one may leave to it. */
  understudy(other: Shard): void {
    for (const environment of other.#environments.values()) this.prepare(environment)
    for (const publication of other.#publications.values()) this.#publish(publication)
  }

  cancel(job: ShardJob): void {
    job.stopSampling()
    if (this.#jobs.has(job.slot)) this.#post({ kind: 'cancel', slot: job.slot })
  }

  /** What it has in hand is nobody's any more. */
  takeJobs(): readonly ShardJob[] {
    const jobs = [...this.#jobs.values()]
    this.#jobs.clear()
    this.#link.setBusy(false)
    return jobs
  }

  /** False when it still runs after a second. */
  kill(): Promise<boolean> {
    return this.#link.kill()
  }

  /** Lets it close what it has open; by force after so many milliseconds. */
  async stop(patienceMs: number): Promise<boolean> {
    this.#link.setBusy(true)
    this.#post({ kind: 'stop' })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), patienceMs)
    })
    const isOver = await Promise.race([this.#link.over.then(() => true), late])
    clearTimeout(timer)
    return isOver || this.#link.kill()
  }

  #post(message: ToShard): void {
    this.#link.post(message)
  }

  #take(message: FromShard): void {
    switch (message.kind) {
      case 'ready':
        this.#isReady = true
        this.#owner.ready(this, message.plugins)
        break
      case 'failed':
        this.#owner.failed(this, unpackError(message.error))
        break
      case 'ended':
        this.#settle(message.slot, (job) => job.resolve(frozen(message.judged)))
        break
      case 'threw':
        this.#settle(message.slot, (job) => job.reject(unpackError(message.error)))
        break
      case 'sample':
        this.#sample(message)
        break
      default:
        this.#owner.heard(message)
    }
  }

  #settle(slot: number, settle: (job: ShardJob) => void): void {
    const job = this.#jobs.get(slot)
    if (job === undefined) return
    this.#jobs.delete(slot)
    if (this.#jobs.size === 0) this.#link.setBusy(false)
    settle(job)
    this.#owner.settled(this)
  }

  #sample(question: SampleMessage): void {
    const job = this.#jobs.get(question.slot)
    if (job === undefined) return
    void this.#server.serve(question, job.plan.policy, job.conversations, job.sampling)
  }
}

/** Copies are not frozen as what was sent was. */
function frozen(judged: JudgedTrajectory): JudgedTrajectory {
  freezeTrajectory(judged.trajectory)
  return freezeJudged(judged)
}

export function shardFailed(message: string, cause?: unknown): RlenvError {
  return new RlenvError(message, {
    code: 'RLENV_SHARD_FAILED',
    fix: 'Repair what the message names, or set rollout.mode to "inline".',
    ...(cause === undefined ? {} : { cause }),
  })
}
