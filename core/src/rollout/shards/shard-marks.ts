/** What a shard's thread is doing without giving way to anything else. */
export const sections = ['idle', 'open', 'tool', 'capture', 'close', 'policy', 'verifier', 'shaper'] as const
export type Section = (typeof sections)[number]

/** Where a shard's thread stands. */
export interface Mark {
  /** Counts turns of its event loop, roughly. */
  readonly beat: number
  /** Counts entries and exits of sections. */
  readonly sequence: number
  /** The attempt whose section it is; 0 in none. */
  readonly slot: number
  readonly section: Section
  /** Of the tool; empty elsewhere. */
  readonly name: string
}

/** Positions of 32-bit words. */
const word = { beat: 0, sequence: 1, slot: 2, section: 3, length: 4 } as const
const words = 5
/** UTF-16 units of a tool's name that are kept. */
const longestName = 64

/** Milliseconds between two beats. */
const beatMs = 20

/**
 * A few words of shared memory in which a shard notes, before each call of foreign code, whose call it is. Another thread
 * reads them while the shard's own is stuck inside that call.
 */
export class ShardMarks {
  readonly buffer: SharedArrayBuffer
  readonly #words: Int32Array
  readonly #name: Uint16Array

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(words * 4 + longestName * 2)) {
    this.buffer = buffer
    this.#words = new Int32Array(buffer, 0, words)
    this.#name = new Uint16Array(buffer, words * 4, longestName)
  }

  /** Beats, for the first time at once, until the returned function is called. */
  startBeating(): () => void {
    const beat = () => Atomics.add(this.#words, word.beat, 1)
    // Whoever gets stuck before a timer could fire is watched over as well.
    beat()
    const timer = setInterval(beat, beatMs)
    return () => clearInterval(timer)
  }

  /** Runs something that is not waited for; what it returns may be a promise. */
  within<T>(slot: number, section: Section, name: string, run: () => T): T {
    const before = this.#words[word.slot] as number
    const around = this.#words[word.section] as number
    this.#note(slot, sections.indexOf(section), name)
    try {
      return run()
    } finally {
      this.#note(before, around, '')
    }
  }

  /** As it was at one moment, or null when it changed while it was read. */
  read(): Mark | null {
    const sequence = Atomics.load(this.#words, word.sequence)
    const slot = Atomics.load(this.#words, word.slot)
    const section = sections[Atomics.load(this.#words, word.section)] ?? 'idle'
    const name = String.fromCharCode(...this.#name.subarray(0, Atomics.load(this.#words, word.length)))
    const beat = Atomics.load(this.#words, word.beat)
    return Atomics.load(this.#words, word.sequence) === sequence ? { beat, sequence, slot, section, name } : null
  }

  #note(slot: number, section: number, name: string): void {
    const length = Math.min(name.length, longestName)
    Atomics.add(this.#words, word.sequence, 1)
    for (let i = 0; i < length; i++) this.#name[i] = name.charCodeAt(i)
    Atomics.store(this.#words, word.length, length)
    Atomics.store(this.#words, word.slot, slot)
    Atomics.store(this.#words, word.section, section)
    Atomics.add(this.#words, word.sequence, 1)
  }
}
