/** Milliseconds of work without a break after which timers, signals and the progress display get their turn. */
const longestStretchMs = 8

/** Lets the event loop turn now and then, because a policy and a world that answer at once never do. */
export class Breather {
  #since = performance.now()
  #pause: Promise<void> | null = null

  /** A pause when one is due, otherwise null. */
  pause(): Promise<void> | null {
    if (this.#pause === null && performance.now() - this.#since >= longestStretchMs) {
      this.#pause = new Promise((resolve) => {
        setImmediate(() => {
          this.#since = performance.now()
          this.#pause = null
          resolve()
        })
      })
    }
    return this.#pause
  }
}
