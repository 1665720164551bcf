import { rmSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import { writeError } from '../errors/file-error.ts'
import { messageOf, RlenvError } from '../errors/rlenv-error.ts'
import type { Kept, SpillBuffer } from '../hooks/plugin.ts'
import { heapSize } from './heap-size.ts'
import { type Place, SegmentLog } from './segment-log.ts'

export interface SpillOptions {
  /** Folder for what memory does not hold; made when needed. What an earlier process left there is removed. */
  readonly directory: string
  /** Bytes that kept values may take in memory, as estimated. */
  readonly memoryBytes: number
  /** Bytes after which a file takes no more values. Default 16 MiB. */
  readonly segmentBytes?: number
}

/** What a store holds at the moment. */
export interface SpillUsage {
  readonly values: number
  readonly memoryBytes: number
  readonly diskBytes: number
}

/**
 * Keeps values in memory up to a budget and on disk beyond it, the longest kept first. A value comes back equal, to the
 * bits of its numbers, wherever it was. Until it is opened a store has no budget and no folder.
 */
export class SpillStore implements SpillBuffer {
  /** What can be read, the longest kept first, and what of it is in memory. */
  readonly #live = new Set<KeptValue>()
  readonly #inMemory = new Set<KeptValue>()
  /** What was released while a hold was open, with the number of the newest hold at that time; oldest first. */
  readonly #released = new Map<KeptValue, number>()
  readonly #holds = new Set<number>()
  #lastHold = 0
  #budget = Number.POSITIVE_INFINITY
  #log: SegmentLog | null = null
  #usedBytes = 0
  readonly #home: Home = {
    load: (kept, place) => this.#load(kept, place),
    release: (kept) => this.#release(kept),
  }

  /** Begins anew, with a budget. @throws {RlenvError} RLENV_OUTPUT_UNWRITABLE */
  open({ directory, memoryBytes, segmentBytes }: SpillOptions): void {
    this.close()
    removeLeftovers(directory)
    this.#log = new SegmentLog(directory, segmentBytes)
    this.#budget = memoryBytes
  }

  /**
   * @throws {RlenvError} RLENV_DISK_FULL, RLENV_OUTPUT_UNWRITABLE; RLENV_PLUGIN_RETURNED_INVALID for what is no data, such
   *   as a function. The values that were kept before stay readable.
   */
  keep<Value>(value: Value | Kept<Value>): Kept<Value> {
    if (isKept(value)) return this.#keepAgain(value)
    const bytes = heapSize(value)
    if (Number.isNaN(bytes)) throw noData('something in it shows no data, such as a function or a Map')
    const kept = new KeptValue(this.#home, value, bytes)
    this.#live.add(kept)
    this.#usedBytes += kept.bytes
    this.#inMemory.add(kept)
    try {
      while (this.#usedBytes > this.#budget) this.#spillOldest()
    } catch (error) {
      this.#forget(kept)
      throw error
    }
    return kept as Kept<Value>
  }

  /** What is released from now on stays readable until the returned function is called. */
  hold(): () => void {
    const hold = ++this.#lastHold
    this.#holds.add(hold)
    return () => {
      if (this.#holds.delete(hold)) this.#forgetReleased()
    }
  }

  get usage(): SpillUsage {
    return { values: this.#live.size, memoryBytes: this.#usedBytes, diskBytes: this.#log?.diskBytes ?? 0 }
  }

  /** Forgets everything and removes its files. */
  close(): void {
    this.#log?.close()
    this.#log = null
    this.#budget = Number.POSITIVE_INFINITY
    this.#live.clear()
    this.#inMemory.clear()
    this.#released.clear()
    this.#holds.clear()
    this.#usedBytes = 0
  }

  #load(kept: KeptValue, place: Place): unknown {
    if (this.#log === null || !this.#live.has(kept)) throw new RangeError('the run that kept this value has ended')
    return deserialize(this.#log.read(place))
  }

  #release(kept: KeptValue): void {
    if (!this.#live.has(kept) || this.#released.has(kept)) return
    this.#released.set(kept, this.#lastHold)
    this.#forgetReleased()
  }

  #keepAgain<Value>(kept: Kept<Value>): Kept<Value> {
    const own = kept as unknown as KeptValue
    if (!this.#live.has(own)) return this.keep(kept.read())
    this.#released.delete(own)
    return kept
  }

  #spillOldest(): void {
    const [oldest] = this.#inMemory
    if (oldest === undefined || this.#log === null) throw new TypeError('there is nothing to move to the disk')
    oldest.spill(this.#log.append(written(oldest.read())))
    this.#inMemory.delete(oldest)
    this.#usedBytes -= oldest.bytes
  }

  /** A value that was released after a hold began is forgotten when that hold ends. */
  #forgetReleased(): void {
    const [oldestHold = Number.POSITIVE_INFINITY] = this.#holds
    for (const [kept, hold] of this.#released) {
      if (hold >= oldestHold) return
      this.#released.delete(kept)
      this.#forget(kept)
    }
  }

  #forget(kept: KeptValue): void {
    this.#live.delete(kept)
    if (this.#inMemory.delete(kept)) this.#usedBytes -= kept.bytes
    // Without a budget nothing is gained by taking a value away from whoever still refers to it.
    if (this.#log === null) return
    const place = kept.forget()
    if (place !== null) this.#log.free(place)
  }
}

/** The store of a value, as far as the value itself asks for it. */
interface Home {
  load(kept: KeptValue, place: Place): unknown
  release(kept: KeptValue): void
}

/** A value that a store holds in memory or on disk. */
class KeptValue implements Kept<unknown> {
  readonly #home: Home
  readonly #bytes: number
  #value: unknown
  #place: Place | null = null
  #isForgotten = false

  constructor(home: Home, value: unknown, bytes: number) {
    this.#home = home
    this.#value = value
    this.#bytes = bytes
  }

  /** In memory, as estimated. No property of its own, so that one value cannot be kept within another unnoticed. */
  get bytes(): number {
    return this.#bytes
  }

  read(): unknown {
    if (this.#isForgotten) throw new RangeError('this value was released')
    return this.#place === null ? this.#value : this.#home.load(this, this.#place)
  }

  release(): void {
    this.#home.release(this)
  }

  toJSON(): unknown {
    return this.read()
  }

  spill(place: Place): void {
    this.#value = undefined
    this.#place = place
  }

  forget(): Place | null {
    const place = this.#place
    this.#value = undefined
    this.#place = null
    this.#isForgotten = true
    return place
  }
}

/** Whether something stands for a value that a store keeps. */
export function isKept<Value>(value: Value | Kept<Value>): value is Kept<Value> {
  return value instanceof KeptValue
}

function removeLeftovers(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true })
  } catch (cause) {
    throw writeError(directory, cause)
  }
}

function written(value: unknown): Buffer {
  try {
    return serialize(value)
  } catch (cause) {
    throw noData(messageOf(cause), cause)
  }
}

function noData(why: string, cause?: unknown): RlenvError {
  return new RlenvError(`a value that is to be kept cannot be written to the disk: ${why}`, {
    code: 'RLENV_PLUGIN_RETURNED_INVALID',
    fix: 'Keep plain data: objects, lists, texts, numbers and bytes; no functions, no Maps, nothing that is kept already.',
    cause,
  })
}
