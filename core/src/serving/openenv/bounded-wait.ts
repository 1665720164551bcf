/** A signal for something that is waited for: aborted by any of its sources, or when it takes too long. */
export class BoundedWait {
  readonly #controller = new AbortController()
  readonly #sources: readonly AbortSignal[]
  readonly #timer: NodeJS.Timeout
  readonly #abort: () => void
  #isLate = false

  constructor(sources: readonly AbortSignal[], ms: number) {
    this.#sources = sources
    this.#abort = () => this.#controller.abort(sources.find(({ aborted }) => aborted)?.reason)
    this.#timer = setTimeout(() => {
      this.#isLate = true
      this.#controller.abort(new Error(`nothing came within ${ms} ms`))
    }, ms).unref()
    for (const source of sources) source.addEventListener('abort', this.#abort, { once: true })
    if (sources.some(({ aborted }) => aborted)) this.#abort()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** It took too long. */
  get isLate(): boolean {
    return this.#isLate
  }

  /** Nothing is waited for any more: leaves no timer and no listener behind. */
  end(): void {
    clearTimeout(this.#timer)
    for (const source of this.#sources) source.removeEventListener('abort', this.#abort)
  }
}
