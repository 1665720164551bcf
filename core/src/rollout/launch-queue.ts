/**
 * Starts one piece of work after the other: the next begins when the last has ended, or has waited for something beyond
 * this turn of the event loop. Work that answers at once runs alone and leaves its resources, above all its world's
 * database connection, to the next; work that waits for a network runs beside the rest as before.
 */
export class LaunchQueue {
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /** Work that has not begun. */
  get waiting(): number {
    return this.#waiting
  }

  async start<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#last
    let release: () => void = () => undefined
    this.#last = new Promise<void>((resolve) => {
      release = resolve
    })
    this.#waiting += 1
    await before
    this.#waiting -= 1
    const running = work()
    running.then(release, release)
    setImmediate(release)
    return running
  }
}
