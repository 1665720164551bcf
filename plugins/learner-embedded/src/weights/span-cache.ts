import type { ActionSpan } from 'rlenv'
import { type PackedSpan, packedBytes } from './packed-span.ts'

/**
 * Features of the spans that were sampled last, so that a learner need not rebuild them. Holds at most `limit` bytes; the
 * oldest go first. What is not here is rebuilt from the transcript with the same result.
 */
export class SpanCache {
  readonly #limit: number
  readonly #spans = new Map<ActionSpan, PackedSpan>()
  /** In the order in which they came; those before `#oldest` are gone. */
  #ages: ActionSpan[] = []
  #oldest = 0
  #bytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get(span: ActionSpan): PackedSpan | undefined {
    return this.#spans.get(span)
  }

  set(span: ActionSpan, packed: PackedSpan): void {
    if (this.#limit === 0) return
    this.#spans.set(span, packed)
    this.#ages.push(span)
    this.#bytes += packedBytes(packed)
    while (this.#bytes > this.#limit) this.#drop()
  }

  clear(): void {
    this.#spans.clear()
    this.#ages = []
    this.#oldest = 0
    this.#bytes = 0
  }

  #drop(): void {
    const span = this.#ages[this.#oldest++] as ActionSpan
    const packed = this.#spans.get(span)
    this.#spans.delete(span)
    if (packed !== undefined) this.#bytes -= packedBytes(packed)
    if (this.#oldest * 2 < this.#ages.length) return
    this.#ages = this.#ages.slice(this.#oldest)
    this.#oldest = 0
  }
}
