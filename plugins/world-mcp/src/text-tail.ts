import { StringDecoder } from 'node:string_decoder'

/** The end of a text that may be endless, in bounded memory. */
export class TextTail {
  readonly #maxChars: number
  readonly #decoder = new StringDecoder('utf8')
  #text = ''
  #dropped = false

  constructor(maxChars: number) {
    this.#maxChars = maxChars
  }

  add(chunk: Buffer): void {
    const text = this.#text + this.#decoder.write(chunk)
    this.#dropped ||= text.length > this.#maxChars
    this.#text = text.slice(-this.#maxChars)
  }

  /** On one line, with … for what is missing before it; empty when nothing was written. */
  get line(): string {
    const lines = this.#text.trim().replaceAll(/\s*\n\s*/g, ' | ')
    return this.#dropped ? `…${lines}` : lines
  }
}
