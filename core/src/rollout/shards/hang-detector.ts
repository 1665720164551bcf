import { type Mark, type Section, type ShardMarks, sections } from './shard-marks.ts'

/** Milliseconds that a section may keep its thread to itself. */
export type SectionLimits = Readonly<Record<Section, number>>

/** A shard whose thread has not come back in time. */
export interface Hang {
  readonly mark: Mark
  /** Milliseconds that it had. Not how long it took: that differs from run to run, and this stands in traces. */
  readonly limitMs: number
}

/** `slow`: past a quarter of its limit, so that a replacement may be needed. */
export type Pace = 'fine' | 'slow' | 'hung'

/** Milliseconds beyond a limit before a thread counts as stuck. */
const marginMs = 50

/** Calls that each stay within their limit may keep a thread from its event loop for so many limits. */
const loopFactor = 4

/** The limits of a run. */
export interface HangLimits {
  readonly toolTimeoutMs: number
  readonly turnTimeoutMs: number
  readonly verifierTimeoutMs: number
}

export function sectionLimits({ toolTimeoutMs, turnTimeoutMs, verifierTimeoutMs }: HangLimits): SectionLimits {
  const judging = Math.max(toolTimeoutMs, verifierTimeoutMs)
  return {
    // A call that went on by itself: what it blocks is every other rollout's deadline.
    idle: toolTimeoutMs,
    open: toolTimeoutMs,
    tool: toolTimeoutMs,
    capture: judging,
    close: judging,
    policy: turnTimeoutMs,
    verifier: verifierTimeoutMs,
    shaper: judging,
  }
}

/** Watches a shard's marks from another thread. */
export class HangDetector {
  readonly #marks: ShardMarks
  readonly #limits: SectionLimits
  readonly #tickMs: number
  #mark: Mark
  #lookedAt: number
  /** Milliseconds, as far as they were watched, since the mark changed at all. */
  #stillMs = 0
  /** The same since the event loop turned. */
  #unturnedMs = 0

  /** @param tickMs - how often {@link look} is called. */
  constructor(marks: ShardMarks, limits: SectionLimits, tickMs: number, now: number) {
    this.#marks = marks
    this.#limits = limits
    this.#tickMs = tickMs
    this.#mark = marks.read() ?? { beat: 0, sequence: 0, slot: 0, section: sections[0], name: '' }
    this.#lookedAt = now
  }

  /** What the thread does now, as far as is known. */
  get mark(): Mark {
    return this.#mark
  }

  /** Milliseconds since the mark changed. */
  get stillMs(): number {
    return this.#stillMs
  }

  look(now: number): Pace {
    const mark = this.#marks.read()
    // A watcher that slept itself, as on a machine that was suspended, has not seen the shard do nothing.
    const longest = Math.max(4 * this.#tickMs, this.#limits[(mark ?? this.#mark).section] / 4)
    const passed = Math.min(now - this.#lookedAt, longest)
    this.#lookedAt = now
    const turned = mark === null ? false : mark.beat !== this.#mark.beat
    // Before its first beat a shard is being set up, which has deadlines of its own.
    const moved = mark === null || mark.beat === 0 || turned || mark.sequence !== this.#mark.sequence
    this.#stillMs = moved ? 0 : this.#stillMs + passed
    this.#unturnedMs = turned || mark?.beat === 0 ? 0 : this.#unturnedMs + passed
    if (mark !== null) this.#mark = mark
    return this.#pace()
  }

  /** The hang that was just seen. */
  hang(): Hang {
    return { mark: this.#mark, limitMs: this.#limits[this.#mark.section] }
  }

  #pace(): Pace {
    const limit = this.#limits[this.#mark.section]
    if (this.#stillMs >= limit + marginMs || this.#unturnedMs >= loopFactor * (limit + marginMs)) return 'hung'
    return this.#stillMs >= limit / 4 ? 'slow' : 'fine'
  }
}
