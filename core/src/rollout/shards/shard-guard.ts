import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { aliveEveryMs, type GuardNote, type GuardOrders } from './guard-note.ts'
import { HangDetector, type Pace } from './hang-detector.ts'
import { lookEveryMs } from './shard-link.ts'
import { ShardMarks } from './shard-marks.ts'

/** Milliseconds that the orchestrator gets to end a process that was reported as stuck. */
const lastResortMs = 2_000

/**
 * A thread beside a shard process's own. That one may be stuck inside a call that nothing can interrupt; this one sees it,
 * tells the orchestrator through a pipe, and ends the process when the orchestrator is gone or memory runs out.
 */
class ShardGuard {
  readonly #orders: GuardOrders
  readonly #detector: HangDetector
  #noted = 0
  #pace: Pace = 'fine'
  #hungAt: number | null = null

  constructor(orders: GuardOrders) {
    this.#orders = orders
    this.#detector = new HangDetector(
      new ShardMarks(orders.marks),
      orders.sectionLimits,
      lookEveryMs,
      performance.now(),
    )
  }

  look(): void {
    const { memoryMib, parentPid } = this.#orders
    const now = performance.now()
    if (process.ppid !== parentPid) end()
    if (this.#hungAt !== null && now - this.#hungAt > lastResortMs) end()
    if (this.#hungAt !== null) return
    this.#note(this.#detector.look(now), now)
    if (process.memoryUsage.rss() > memoryMib * 2 ** 20) {
      this.#write({ kind: 'memory', mark: this.#detector.mark })
      end()
    }
  }

  live(): void {
    this.#write({ kind: 'alive' })
  }

  #note(pace: Pace, now: number): void {
    const { mark, stillMs } = this.#detector
    if (pace === 'hung') {
      this.#hungAt = now
      this.#write({ kind: 'hung', ...this.#detector.hang() })
    } else if (pace === 'slow' && this.#pace !== 'slow') this.#write({ kind: 'slow' })
    this.#pace = pace
    const subject = stillMs > 0 ? mark.slot : 0
    if (subject !== this.#noted) this.#write({ kind: 'within', mark: subject === 0 ? { ...mark, slot: 0 } : mark })
    this.#noted = subject
  }

  #write(note: GuardNote): void {
    try {
      writeSync(this.#orders.fd, `${JSON.stringify(note)}\n`)
    } catch {
      // Nobody reads: the orchestrator is gone.
      end()
    }
  }
}

/** Whatever the other thread is doing. */
function end(): void {
  process.kill(process.pid, 'SIGKILL')
}

const guard = new ShardGuard(workerData as GuardOrders)
guard.live()
setInterval(() => guard.look(), lookEveryMs)
setInterval(() => guard.live(), aliveEveryMs)
