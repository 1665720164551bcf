/** One line of EXPLAIN QUERY PLAN. */
export interface PlanLine {
  readonly id: number
  readonly parent: number
  readonly detail: string
}

export interface PlanCost {
  /** Upper bound of row visits, from the row counts at hand. */
  readonly visits: number
  /** Whether the plan holds a recursive step, whose length nothing bounds. */
  readonly recursive: boolean
}

/** What a plan line needs to know about names: a table's row count, and whether the statement names it itself. */
export interface PlanNames {
  /** Rows of the table behind a name or alias; null when it is none of the statement's tables. */
  rows(name: string): number | null
  /** Rows of the largest table, for names that lead nowhere. */
  readonly largest: number
}

/** Rows that a table-valued function is taken to yield. */
const functionRows = 100
/** An index search is taken to hit this share of a table's rows. */
const searchShare = 8

class PlanReader {
  readonly #children = new Map<number, PlanLine[]>()
  readonly #derived = new Map<string, number>()
  readonly #names: PlanNames
  recursive = false

  constructor(lines: readonly PlanLine[], names: PlanNames) {
    this.#names = names
    for (const line of lines) {
      const siblings = this.#children.get(line.parent)
      if (siblings === undefined) this.#children.set(line.parent, [line])
      else siblings.push(line)
    }
  }

  /** Row visits of the lines below one: loops nest in the order listed, subqueries that stand alone add up. */
  visits(parent: number): number {
    let loops = 1
    let beside = 0
    for (const line of this.#children.get(parent) ?? []) {
      const [first = '', second = ''] = line.detail.split(' ')
      if (first === 'SCAN' || first === 'SEARCH') {
        const factor = this.#tableRows(line.detail, second)
        if (factor.main) loops *= factor.rows
        else beside += loops * factor.rows
      } else if (first === 'CORRELATED') beside += loops * this.visits(line.id)
      else if (first === 'MULTI-INDEX') loops *= Math.max(1, this.visits(line.id))
      else beside += this.#subquery(line, first, second)
    }
    return loops + beside
  }

  #subquery(line: PlanLine, first: string, second: string): number {
    if (line.detail.startsWith('RECURSIVE STEP')) this.recursive = true
    if (!this.#children.has(line.id)) return 0
    const visits = this.visits(line.id)
    if (first === 'MATERIALIZE' || first === 'CO-ROUTINE') this.#derived.set(second, visits)
    return visits
  }

  #tableRows(detail: string, name: string): { readonly rows: number; readonly main: boolean } {
    if (/^SCAN (?:\d+ )?CONSTANT ROW/.test(detail)) return { rows: Number.parseInt(name, 10) || 1, main: true }
    if (detail.includes('VIRTUAL TABLE')) return { rows: functionRows, main: true }
    const known = this.#derived.get(name) ?? this.#names.rows(name)
    const rows = Math.max(1, known ?? this.#names.largest)
    const searched = detail.startsWith('SEARCH') ? this.#searchRows(detail, rows) : rows
    return { rows: searched, main: known !== null }
  }

  #searchRows(detail: string, rows: number): number {
    return detail.includes('(rowid=?)') ? 1 : Math.ceil(rows / searchShare)
  }
}

/** Bounds the work of a statement from its plan. Tables that only triggers and foreign keys touch add, others multiply. */
export function planCost(lines: readonly PlanLine[], names: PlanNames): PlanCost {
  const reader = new PlanReader(lines, names)
  const visits = reader.visits(0)
  return { visits, recursive: reader.recursive }
}
