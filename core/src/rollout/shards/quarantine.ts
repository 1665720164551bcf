import type { Hang } from './hang-detector.ts'
import type { Shard } from './shard.ts'
import type { ShardJob } from './shard-job.ts'
import type { LinkEnd } from './shard-link.ts'

/** What a quarantine needs of its pool. */
export interface QuarantineStaff {
  start(): Shard
  play(shard: Shard, job: ShardJob): void
  /** The job that was alone in a shard is what hung or crashed it. */
  blame(shard: Shard, job: ShardJob, cause: Hang | LinkEnd): void
}

/**
 * Where attempts are played one at a time, in a shard of their own, after a shard hung or died and nobody knows over which
 * of them. The one that does it again is found out; the others end as they would have.
 */
export class Quarantine {
  readonly #staff: QuarantineStaff
  readonly #waiting: ShardJob[] = []
  #shard: Shard | null = null

  constructor(staff: QuarantineStaff) {
    this.#staff = staff
  }

  add(jobs: readonly ShardJob[]): void {
    this.#waiting.push(...jobs)
    this.#next()
  }

  holds(shard: Shard): boolean {
    return this.#shard === shard
  }

  /** Its shard has ended its job. */
  settled(): void {
    this.#next()
  }

  /** Its shard hung or died. */
  lost(shard: Shard, cause: Hang | LinkEnd): void {
    this.#shard = null
    for (const job of shard.takeJobs()) this.#staff.blame(shard, job, cause)
    this.#next()
  }

  /** The shard that is left over, for whoever ends the pool. */
  get shard(): Shard | null {
    return this.#shard
  }

  #next(): void {
    if (this.#shard !== null && this.#shard.load > 0) return
    let job = this.#waiting.shift()
    while (job?.isSettled) job = this.#waiting.shift()
    if (job === undefined) return
    this.#shard ??= this.#staff.start()
    this.#staff.play(this.#shard, job)
  }
}
