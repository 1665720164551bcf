/** Cuts a stream of bytes into lines, none of them longer than a bound. */
export class MessageLines {
  readonly #maxBytes: number
  #parts: Buffer[] = []
  #size = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The lines that this chunk completes. @throws {RangeError} when a line is longer than the bound. */
  *add(chunk: Buffer): Generator<string> {
    let start = 0
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      this.#keep(chunk.subarray(start, end))
      yield Buffer.concat(this.#parts).toString('utf8').trim()
      this.#parts = []
      this.#size = 0
      start = end + 1
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start))
  }

  #keep(part: Buffer): void {
    this.#size += part.length
    if (this.#size > this.#maxBytes) throw new RangeError(`a message of more than ${this.#maxBytes} bytes`)
    this.#parts.push(part)
  }
}
