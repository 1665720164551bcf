/**
 * Starts one piece of work after the other: the next begins when the last has ended, or has waited for something beyond
 * this turn of the event loop. Work that answers at once runs alone and leaves its resources, above all its world's
 * database connection, to the next; work that waits for a network runs beside the rest as before.
 */
export class LaunchQueue {
  #last: Promise<unknown> = Promise.resolve()

  async start<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#last
    let release: () => void = () => undefined
    this.#last = new Promise<void>((resolve) => {
      release = resolve
    })
    await before
    const running = work()
    running.then(release, release)
    setImmediate(release)
    return running
  }
}
