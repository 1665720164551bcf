import type { ActionSpan } from 'rlenv'
import { type PackedSpan, packedBytes } from './packed-span.ts'

/**
 * Features of the spans that were sampled last, so that a learner need not rebuild them. Holds at most `limit` bytes; the
 * oldest go first. What is not here is rebuilt from the transcript with the same result.
 */
export class SpanCache {
  readonly #limit: number
  readonly #spans = new Map<ActionSpan, PackedSpan>()
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
    this.#bytes += packedBytes(packed)
    for (const [oldest, features] of this.#spans) {
      if (this.#bytes <= this.#limit) return
      this.#spans.delete(oldest)
      this.#bytes -= packedBytes(features)
    }
  }

  clear(): void {
    this.#spans.clear()
    this.#bytes = 0
  }
}
