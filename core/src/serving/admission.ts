import { RlenvError } from '../errors/rlenv-error.ts'

/** One of the places that open sessions take. */
export interface Place {
  /** Gives the place back; only the first call counts. */
  release(): void
}

interface Waiter {
  readonly admit: (place: Place) => void
  readonly refuse: (error: unknown) => void
  readonly tell: ((position: number) => void) | undefined
}

export interface AdmissionRequest {
  /** Leaves the queue when it is aborted. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds in the queue after which it is refused. Default: no bound. */
  readonly waitMs?: number | undefined
  /** Told the place in the queue, 1 = next, when it is taken and whenever it changes. */
  readonly onQueued?: ((position: number) => void) | undefined
}

/** Bounds how many sessions are open at once. Who finds it full waits in line, and the line is bounded as well. */
export class Admission {
  readonly capacity: number
  readonly queueLimit: number
  #taken = 0
  readonly #line: Waiter[] = []

  constructor(capacity: number, queueLimit: number) {
    this.capacity = capacity
    this.queueLimit = queueLimit
  }

  get taken(): number {
    return this.#taken
  }

  get queued(): number {
    return this.#line.length
  }

  /** @throws {RlenvError} RLENV_SERVER_FULL when the line is full as well; the signal's reason when it is aborted. */
  enter(request: AdmissionRequest): Place | Promise<Place> {
    request.signal?.throwIfAborted()
    if (this.#taken < this.capacity) return this.#take()
    if (this.#line.length >= this.queueLimit) throw this.#full()
    return this.#queue(request)
  }

  #queue({ signal, waitMs, onQueued }: AdmissionRequest): Promise<Place> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
      const waiter: Waiter = {
        admit: (place) => {
          settle()
          resolve(place)
        },
        refuse: (error) => {
          settle()
          reject(error)
        },
        tell: onQueued,
      }
      const onAbort = () => this.#leave(waiter, signal?.reason)
      const late = (ms: number) => this.#leave(waiter, outOfPatience(ms, this.#line.indexOf(waiter) + 1))
      const timer = waitMs === undefined ? undefined : setTimeout(late, waitMs, waitMs)
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#line.push(waiter)
      onQueued?.(this.#line.length)
    })
  }

  #leave(waiter: Waiter, why: unknown): void {
    this.#line.splice(this.#line.indexOf(waiter), 1)
    waiter.refuse(why)
    this.#tellPositions()
  }

  /** Sends everybody in line away. */
  dismiss(error: unknown): void {
    for (const waiter of this.#line.splice(0)) waiter.refuse(error)
  }

  #take(): Place {
    this.#taken++
    let isHeld = true
    return {
      release: () => {
        if (!isHeld) return
        isHeld = false
        this.#taken--
        this.#admitNext()
      },
    }
  }

  #admitNext(): void {
    const next = this.#line.shift()
    if (next === undefined) return
    next.admit(this.#take())
    this.#tellPositions()
  }

  #tellPositions(): void {
    for (const [index, waiter] of this.#line.entries()) waiter.tell?.(index + 1)
  }

  #full(): RlenvError {
    const { capacity, queueLimit } = this
    return new RlenvError(`all ${capacity} sessions are open and ${queueLimit} more are waiting for one`, {
      code: 'RLENV_SERVER_FULL',
      fix: 'Close sessions that are done, try again later, or serve with a larger capacity.',
    })
  }
}

function outOfPatience(waitMs: number, position: number): RlenvError {
  return new RlenvError(`no place became free within ${waitMs} ms; ${position} in the queue`, {
    code: 'RLENV_SERVER_FULL',
    fix: 'Close sessions that are done, wait longer, or serve with a larger capacity.',
  })
}
