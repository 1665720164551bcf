import type { FunctionWatch } from '../sqlite/frozen-functions.ts'

/** Why a query was ended: `visits`, the same on every machine; `deadline`; `result`, a row too long to be shown. */
export type QueryEnd = 'visits' | 'deadline' | 'result'

/** Thrown through SQLite, which ends the query and leaves its connection usable. */
export class QueryStopped extends Error {
  readonly end: QueryEnd

  constructor(end: QueryEnd, message: string) {
    super(message)
    this.end = end
  }
}

export interface QueryBounds {
  /** Most rows of tables that may be looked at. */
  readonly visits: number
  /** Milliseconds. */
  readonly deadlineMs: number
}

/** What was found out about a query before it runs. */
export interface QueryTraits {
  /** Whether it sorts when it has looked at everything; what that takes no row tells, so half of the time is kept for it. */
  readonly sorts: boolean
  /** Longest text that its functions may make, in UTF-16 units. */
  readonly longestText: number
  /** Rows of tables after which what it keeps of them would take too much memory. */
  readonly mostKept: number
}

/**
 * Counts the rows that a query looks at, and ends it when they or its time are used up. It looks at the clock for each,
 * which takes a fifth of a row's time: what a query makes of one row may take milliseconds.
 */
export class QueryMeter implements FunctionWatch {
  #bounds: QueryBounds = { visits: 0, deadlineMs: 0 }
  #most = 0
  #left = 0
  /** Until when it may gather rows, and until when it may hand them out. */
  #gathers = 0
  #deadline = 0
  #longestText = 0

  start(bounds: QueryBounds, { sorts, longestText, mostKept }: QueryTraits): void {
    this.#bounds = bounds
    this.#most = Math.min(bounds.visits, mostKept)
    this.#left = this.#most
    this.#longestText = longestText
    const now = performance.now()
    this.#deadline = now + bounds.deadlineMs
    this.#gathers = sorts ? now + bounds.deadlineMs / 2 : this.#deadline
  }

  /** One row of a table. Returns what a WHERE clause lets pass. @throws {QueryStopped} */
  visit(): 1 {
    if (--this.#left < 0) throw this.#tooMany()
    this.#look(this.#gathers)
    return 1
  }

  #tooMany(): QueryStopped {
    const advice = 'narrow it down or join on keys'
    if (this.#most === this.#bounds.visits)
      return new QueryStopped('visits', `it looks at more than ${this.#most} rows; ${advice}`)
    return new QueryStopped('visits', `it keeps long texts of more than ${this.#most} rows; leave them out, ${advice}`)
  }

  /** Looks at the clock where no row of a table is counted: for each row of the result, and each call of a function of ours. @throws {QueryStopped} */
  look(): void {
    this.#look(this.#deadline)
  }

  longestText(): number {
    return this.#longestText
  }

  #look(until: number): void {
    if (performance.now() <= until) return
    const { deadlineMs } = this.#bounds
    throw new QueryStopped('deadline', `it does not end within ${deadlineMs} ms; narrow it down or join on keys`)
  }
}
