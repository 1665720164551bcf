import type { CandidateBuffer } from '../decisions/candidate-buffer.ts'

/** The decisions of one span with all candidates' features, as one block. */
export interface PackedSpan {
  /** Feature indices of all candidates of all decisions. */
  readonly features: Int32Array
  /** Shape [candidates + 1]: where each candidate's features start. */
  readonly starts: Int32Array
  /** Shape [decisions + 1]: first candidate of each decision. */
  readonly firsts: Int32Array
}

/** Collects decisions into a {@link PackedSpan}. What it packs are views of blocks that it never writes to again. */
export class SpanRecorder {
  readonly #features = new BlockWriter(1 << 18)
  readonly #starts = new BlockWriter(1 << 14)
  readonly #firsts = new BlockWriter(1 << 12)
  #candidates = 0

  reset(): void {
    this.#features.reset()
    this.#starts.reset()
    this.#firsts.reset()
    this.#candidates = 0
  }

  add(buffer: CandidateBuffer): void {
    const { count, length, features, starts } = buffer
    const from = this.#features.length
    this.#features.append(features, length)
    this.#firsts.push(this.#candidates)
    for (let candidate = 0; candidate < count; candidate++) this.#starts.push(from + (starts[candidate] as number))
    this.#candidates += count
  }

  pack(): PackedSpan {
    this.#starts.push(this.#features.length)
    this.#firsts.push(this.#candidates)
    return { features: this.#features.take(), starts: this.#starts.take(), firsts: this.#firsts.take() }
  }
}

/** Writes one list of integers after the other into large blocks: many small arrays cost more to make than to fill. */
class BlockWriter {
  readonly #size: number
  #block: Int32Array
  #from = 0
  #length = 0

  constructor(size: number) {
    this.#size = size
    this.#block = block(size)
  }

  /** Of the list that is being written. */
  get length(): number {
    return this.#length
  }

  /** Begins the list anew. */
  reset(): void {
    this.#length = 0
  }

  push(value: number): void {
    this.#room(1)
    this.#block[this.#from + this.#length++] = value
  }

  append(values: Int32Array, count: number): void {
    this.#room(count)
    this.#block.set(values.subarray(0, count), this.#from + this.#length)
    this.#length += count
  }

  /** The list, which ends here; the next one begins. */
  take(): Int32Array {
    const list = this.#block.subarray(this.#from, this.#from + this.#length)
    this.#from += this.#length
    this.#length = 0
    return list
  }

  #room(count: number): void {
    const end = this.#from + this.#length + count
    if (end <= this.#block.length) return
    const begun = this.#block.subarray(this.#from, this.#from + this.#length)
    this.#block = block(Math.max(this.#size, 2 * (this.#length + count)))
    this.#block.set(begun)
    this.#from = 0
  }
}

/** Not zeroed: what is read of it was written before. */
function block(length: number): Int32Array {
  return new Int32Array(Buffer.allocUnsafeSlow(length * Int32Array.BYTES_PER_ELEMENT).buffer)
}

/** Bytes that a packed span holds. */
export function packedBytes(span: PackedSpan): number {
  return span.features.byteLength + span.starts.byteLength + span.firsts.byteLength
}
