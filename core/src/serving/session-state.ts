import type { CapturedState, StateReader } from '../hooks/world.ts'
import type { Cell } from '../vocabulary/database.ts'
import type { StateDiff } from '../vocabulary/state-diff.ts'
import type { QueryRows } from '../vocabulary/task.ts'

/** Read-only view of one state of a session's world. Every reading is asked of wherever the world is held. */
export interface SessionStateReader {
  /** Names of the tables, sorted. */
  readonly tables: readonly string[]
  /** All rows of a table in primary-key order. @throws {RlenvError} RLENV_DATABASE_INVALID for an unknown table. */
  rows(table: string): Promise<QueryRows>
  /**
   * One SELECT with `@name` parameters.
   *
   * @throws {RlenvError} RLENV_DATABASE_INVALID when it does not only read; RLENV_WORLD_UNAVAILABLE when the process that
   * holds the world is lost before it has answered.
   */
  query(sql: string, parameters?: Readonly<Record<string, Cell>>): Promise<QueryRows>
}

/** What happened to a session's world since it was opened or reset. */
export interface SessionState {
  readonly initial: SessionStateReader
  readonly final: SessionStateReader
  readonly diff: StateDiff
}

/** The state of a world that is held in this process. */
export function sessionState({ initial, final, diff }: CapturedState): SessionState {
  return { initial: readerOf(initial), final: readerOf(final), diff }
}

function readerOf(state: StateReader): SessionStateReader {
  return {
    tables: state.tables,
    rows: async (table) => state.rows(table),
    query: async (sql, parameters) => state.query(sql, parameters),
  }
}
