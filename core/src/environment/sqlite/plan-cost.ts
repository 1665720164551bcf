/** One line of EXPLAIN QUERY PLAN. */
export interface PlanLine {
  readonly id: number
  readonly parent: number
  readonly detail: string
}

/** Upper bounds of the rows that are looked at. */
interface PlanWork {
  readonly visits: number
  /** The same, where a row of a counted table is only one however often it is looked at: how many lie between two of those. */
  readonly uncounted: number
}

export interface PlanCost extends PlanWork {
  /** Upper bound of the rows that its own loops come to, without what is looked up beside them. */
  readonly rows: number
  /** Whether the plan holds a recursive step, whose length nothing bounds. */
  readonly recursive: boolean
}

/** What a plan line needs to know about names: a table's row count, and whether the statement names it itself. */
export interface PlanNames {
  /** Rows of the table behind a name or alias; null when it is none of the statement's tables, undefined when it is no table. */
  rows(name: string): number | null | undefined
  /** Rows that json_each() and json_tree() yield, by whatever name a plan calls them; 0 when neither is called. */
  readonly unpacked?: number
  /** Whether a name stands for a table in one place and for a subquery in another. */
  shadowed?(name: string): boolean
  /** How many of a table's rows a search looks at, by what the plan says of it. Default: an eighth, one for a row id. */
  searched?(name: string, detail: string, rows: number): number
  /** Rows of the largest table, for names that lead nowhere. */
  readonly largest: number
  /** Tables whose rows are counted while the statement runs, and how many of them end it. Default: none are. */
  readonly counted?: { has(name: string): boolean; readonly most: number }
}

/** Rows that a virtual table is taken to yield where nothing is known of it. */
const functionRows = 100
/** An index search is taken to hit this share of a table's rows. */
const searchShare = 8

const nothing: PlanWork = { visits: 0, uncounted: 0 }
const one: PlanWork = { visits: 1, uncounted: 1 }

const sum = (a: PlanWork, b: PlanWork): PlanWork => ({
  visits: a.visits + b.visits,
  uncounted: a.uncounted + b.uncounted,
})

const product = (a: PlanWork, b: PlanWork): PlanWork => ({
  visits: a.visits * b.visits,
  uncounted: a.uncounted * b.uncounted,
})

const larger = (a: PlanWork, b: PlanWork): PlanWork => ({
  visits: Math.max(a.visits, b.visits),
  uncounted: Math.max(a.uncounted, b.uncounted),
})

class PlanReader {
  readonly #children = new Map<number, PlanLine[]>()
  /** Rows of what subqueries yield. */
  readonly #derived = new Map<string, PlanWork>()
  readonly #names: PlanNames
  recursive = false
  /** Rows of the outermost loops, once {@link work} has been asked for them. */
  rows = 1

  constructor(lines: readonly PlanLine[], names: PlanNames) {
    this.#names = names
    for (const line of lines) {
      const siblings = this.#children.get(line.parent)
      if (siblings === undefined) this.#children.set(line.parent, [line])
      else siblings.push(line)
    }
  }

  /** Work of the lines below one: loops nest in the order listed, subqueries that stand alone add up. */
  work(parent: number): PlanWork {
    let loops = one
    let beside = nothing
    for (const line of this.#children.get(parent) ?? []) {
      const [first = '', second = ''] = line.detail.split(' ')
      if (first === 'SCAN' || first === 'SEARCH') {
        const factor = this.#tableRows(line.detail, second)
        if (factor.main) loops = product(loops, factor.rows)
        else beside = sum(beside, product(loops, factor.rows))
      } else if (first === 'CORRELATED') beside = sum(beside, product(loops, this.work(line.id)))
      else if (first === 'MULTI-INDEX') loops = product(loops, larger(one, this.work(line.id)))
      else beside = sum(beside, this.#subquery(line, first, second))
    }
    if (parent === 0) this.rows = loops.visits
    return sum(loops, beside)
  }

  #subquery(line: PlanLine, first: string, second: string): PlanWork {
    if (line.detail.startsWith('RECURSIVE STEP')) this.recursive = true
    if (!this.#children.has(line.id)) return nothing
    const work = this.work(line.id)
    if (first === 'MATERIALIZE' || first === 'CO-ROUTINE')
      this.#derived.set(second, larger(this.#derived.get(second) ?? nothing, this.#yielded(work)))
    return work
  }

  /** A subquery on counted tables yields no more rows than are counted before the statement ends. */
  #yielded({ visits, uncounted }: PlanWork): PlanWork {
    const most = this.#names.counted?.most ?? Number.POSITIVE_INFINITY
    return { visits, uncounted: Math.min(visits, uncounted * most) }
  }

  #tableRows(detail: string, name: string): { readonly rows: PlanWork; readonly main: boolean } {
    const constant = /^SCAN (?:(?:\d+ )?CONSTANT ROW|\d+-ROW VALUES CLAUSE)/.test(detail)
      ? Number.parseInt(name, 10) || 1
      : undefined
    const rows = constant ?? (detail.includes('VIRTUAL TABLE') ? this.#virtualRows(name) : undefined)
    if (rows !== undefined) return { rows: { visits: rows, uncounted: rows }, main: true }
    const known = this.#names.rows(name)
    const derived = this.#names.shadowed?.(name) === true ? this.#unknown() : this.#derived.get(name)
    const all = derived ?? this.#stored(name, known)
    return { rows: detail.startsWith('SEARCH') ? this.#searched(name, detail, all) : all, main: known !== null }
  }

  #searched(name: string, detail: string, { visits, uncounted }: PlanWork): PlanWork {
    if (this.#names.searched !== undefined) {
      const hit = this.#names.searched(name, detail, visits)
      return { visits: hit, uncounted: Math.min(hit, uncounted) }
    }
    if (detail.includes('(rowid=?)')) return one
    // What a policy's subquery yields may be all alike, and then a search finds all of it.
    return { visits: Math.ceil(visits / searchShare), uncounted }
  }

  #virtualRows(name: string): number {
    const { largest, unpacked } = this.#names
    const assumed = unpacked === undefined ? functionRows : largest
    return Math.max(1, unpacked ?? 0, this.#names.rows(name) ?? (unpacked ? 0 : assumed))
  }

  #stored(name: string, known: number | null | undefined): PlanWork {
    if (known === undefined) return this.#unknown()
    const visits = Math.max(1, known ?? this.#names.largest)
    return { visits, uncounted: this.#names.counted?.has(name) === true ? 1 : visits }
  }

  /** Another name for what a subquery yields, which the plan does not tell: the largest stands for each. */
  #unknown(): PlanWork {
    const { largest, counted } = this.#names
    const visits = Math.max(1, largest)
    const stored = { visits, uncounted: counted === undefined ? visits : 1 }
    return [...this.#derived.values()].reduce(larger, stored)
  }
}

/** Bounds the work of a statement from its plan. Tables that only triggers and foreign keys touch add, others multiply. */
export function planCost(lines: readonly PlanLine[], names: PlanNames): PlanCost {
  const reader = new PlanReader(lines, names)
  const work = reader.work(0)
  return { ...work, rows: reader.rows, recursive: reader.recursive }
}
