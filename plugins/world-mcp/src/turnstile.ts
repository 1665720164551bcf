interface Waiter {
  readonly admit: () => void
}

/** Counts what may go on at a time. Whoever waits is let in in the order of coming. */
export class Turnstile {
  readonly most: number
  readonly #queue: Waiter[] = []
  #inside = 0

  constructor(most: number) {
    this.most = most
  }

  get isFull(): boolean {
    return this.#inside >= this.most
  }

  enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (!this.isFull) {
      this.#inside += 1
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#queue.splice(this.#queue.indexOf(waiter), 1)
        reject(signal.reason)
      }
      const waiter: Waiter = {
        admit: () => {
          signal.removeEventListener('abort', onAbort)
          resolve()
        },
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#queue.push(waiter)
    })
  }

  leave(): void {
    const next = this.#queue.shift()
    if (next === undefined) this.#inside -= 1
    else next.admit()
  }
}
