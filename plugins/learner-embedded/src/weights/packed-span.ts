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

/** Collects decisions into a {@link PackedSpan}. */
export class SpanRecorder {
  #features: Int32Array = new Int32Array(1 << 16)
  #starts: Int32Array = new Int32Array(1 << 10)
  #firsts: Int32Array = new Int32Array(64)
  #length = 0
  #candidates = 0
  #decisions = 0

  reset(): void {
    this.#length = 0
    this.#candidates = 0
    this.#decisions = 0
  }

  add(buffer: CandidateBuffer): void {
    const { count, length, features, starts } = buffer
    this.#features = roomFor(this.#features, this.#length + length)
    this.#starts = roomFor(this.#starts, this.#candidates + count + 1)
    this.#firsts = roomFor(this.#firsts, this.#decisions + 2)
    this.#features.set(features.subarray(0, length), this.#length)
    this.#firsts[this.#decisions++] = this.#candidates
    for (let candidate = 0; candidate < count; candidate++) {
      this.#starts[this.#candidates++] = this.#length + (starts[candidate] as number)
    }
    this.#length += length
  }

  pack(): PackedSpan {
    this.#starts[this.#candidates] = this.#length
    this.#firsts[this.#decisions] = this.#candidates
    return {
      features: this.#features.slice(0, this.#length),
      starts: this.#starts.slice(0, this.#candidates + 1),
      firsts: this.#firsts.slice(0, this.#decisions + 1),
    }
  }
}

/** Bytes that a packed span holds. */
export function packedBytes(span: PackedSpan): number {
  return span.features.byteLength + span.starts.byteLength + span.firsts.byteLength
}

function roomFor(array: Int32Array, length: number): Int32Array {
  if (length <= array.length) return array
  const larger = new Int32Array(Math.max(length, array.length * 2))
  larger.set(array)
  return larger
}
