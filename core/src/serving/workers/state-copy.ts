import { RlenvError } from '../../errors/rlenv-error.ts'
import type { CapturedState, StateReader } from '../../hooks/world.ts'
import type { StateDiff } from '../../vocabulary/state-diff.ts'
import type { QueryRows } from '../../vocabulary/task.ts'

/** A captured state as it can be sent: rows instead of a database. */
export interface StateCopy {
  readonly initial: TableRows
  readonly final: TableRows
  readonly diff: StateDiff
}

type TableRows = Readonly<Record<string, QueryRows>>

export function copyState({ initial, final, diff }: CapturedState): StateCopy {
  return { initial: copyRows(initial), final: copyRows(final), diff }
}

/** Reads the copy as the state itself is read, but for queries, which need the database that stayed where it was. */
export function readCopy({ initial, final, diff }: StateCopy): CapturedState {
  return { initial: new CopyReader(initial), final: new CopyReader(final), diff }
}

function copyRows(state: StateReader): TableRows {
  return Object.fromEntries(state.tables.map((table) => [table, state.rows(table)]))
}

class CopyReader implements StateReader {
  readonly tables: readonly string[]
  readonly #rows: ReadonlyMap<string, QueryRows>

  constructor(rows: TableRows) {
    this.#rows = new Map(Object.entries(rows))
    this.tables = [...this.#rows.keys()]
  }

  rows(table: string): QueryRows {
    const rows = this.#rows.get(table)
    if (rows !== undefined) return rows
    throw new RlenvError(`there is no table "${table}" among ${this.tables.join(', ')}`, {
      code: 'RLENV_DATABASE_INVALID',
    })
  }

  query(): never {
    throw new RlenvError('this state is a copy from a worker process, which cannot be queried', {
      code: 'RLENV_DATABASE_INVALID',
      fix: 'Read whole tables with rows, or hold the worlds in this process.',
    })
  }
}
