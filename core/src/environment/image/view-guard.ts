import type Database from 'better-sqlite3'
import { messageOf } from '../../errors/rlenv-error.ts'
import { refusedTables } from '../sqlite/admitted-sql.ts'
import { foldName, quoteName, type SqlToken } from '../sqlite/sql-text.ts'
import { columnRepetitions, growthFaults } from '../sqlite/text-growth.ts'

/**
 * Looks at views one after the other, before SQLite does: it writes a view into whatever reads it, so that a chain of
 * views that each double a column has no end, even when only their columns are asked for.
 */
export class ViewGuard {
  readonly #views = new Map<string, number>()

  /** Why a statement may not create its view; null when it may or creates none. */
  fault(tokens: readonly SqlToken[]): string | null {
    const created = tokens.findIndex(({ keyword }) => keyword === 'VIEW')
    if (tokens[0]?.keyword !== 'CREATE' || created < 0 || created > 2) return null
    const start = tokens.findIndex(({ keyword }) => keyword === 'SELECT' || keyword === 'WITH' || keyword === 'VALUES')
    const body = tokens.slice(start)
    const faults = [...refusedNames(body), ...growthFaults(body, this.#views)]
    if (faults.length > 0) return faults.join('; ')
    const named = tokens[created + 1]?.keyword === 'IF' ? created + 4 : created + 1
    const name = tokens[named + 1]?.text === '.' ? tokens[named + 2] : tokens[named]
    this.#views.set(foldName(name?.text ?? ''), columnRepetitions(body, this.#views))
    return null
  }
}

/** What no statement may name: through a view each would reach it. */
function refusedNames(body: readonly SqlToken[]): string[] {
  const named = body.filter(({ kind, text }) => (kind === 'word' || kind === 'quoted') && refusedTables.test(text))
  return [...new Set(named.map(({ text }) => `names ${text}, which is not open to views`))]
}

/** Views that cannot be read: SQLite creates a view whatever it names, and other clients take "Ana" for a text. */
export function unreadableViews(database: Database.Database): string[] {
  const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY rowid").pluck().all()
  return (names as readonly string[]).flatMap((name) => {
    try {
      database.prepare(`SELECT * FROM ${quoteName(name)}`)
      return []
    } catch (thrown) {
      return [`view ${name}: ${messageOf(thrown)}`]
    }
  })
}
