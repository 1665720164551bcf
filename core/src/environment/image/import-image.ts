import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { messageOf, RlenvError } from '../../errors/rlenv-error.ts'
import { openSqlite } from '../sqlite/native-module.ts'
import { sqlTokens } from '../sqlite/sql-text.ts'
import { readTables } from '../sqlite/table-info.ts'
import { imageOf, invalidDatabase } from './build-image.ts'
import type { DatabaseImage } from './database-image.ts'
import { foreignKeyFindings } from './foreign-keys.ts'
import { definitionFault } from './statement-guard.ts'
import { triggerFindings } from './trigger-findings.ts'
import { unreadableViews, ViewGuard } from './view-guard.ts'

/** Below this size, in bytes, a small page wastes less. */
const smallImageBytes = 512 * 1024

/**
 * Copies a database that others may have open. While a write-ahead log or a journal lies beside it, the backup API reads
 * it as a reader would; without one nobody has anything in flight, and opening it would only leave files behind.
 */
async function copyDatabase(path: string, copy: string): Promise<void> {
  if (!existsSync(`${path}-wal`) && !existsSync(`${path}-journal`)) return copyFileSync(path, copy)
  try {
    await backUp(path, copy, true)
  } catch {
    // A log without its index in a folder that takes no new files cannot be read in place: read a copy of both.
    for (const ending of ['', '-wal', '-journal']) {
      if (existsSync(`${path}${ending}`)) copyFileSync(`${path}${ending}`, `${copy}.source${ending}`)
    }
    await backUp(`${copy}.source`, copy, false)
  }
}

async function backUp(path: string, copy: string, readonly: boolean): Promise<void> {
  const source = openSqlite(path, { readonly, fileMustExist: true })
  try {
    await source.backup(copy)
  } finally {
    source.close()
  }
}

/** Puts a copy into rollback-journal mode with the page size that suits it. */
function normalize(database: Database.Database): void {
  database.pragma('journal_mode = DELETE')
  database.pragma('foreign_keys = OFF')
  const bytes =
    (database.pragma('page_count', { simple: true }) as number) *
    (database.pragma('page_size', { simple: true }) as number)
  database.pragma(`page_size = ${bytes < smallImageBytes ? 1024 : 4096}`)
  database.prepare('VACUUM').run()
}

/** Definitions that no statement could be looked at for, because SQLite carries them out in whatever reads or writes. */
function definitionFindings(database: Database.Database): string[] {
  const stored = database
    .prepare('SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid')
    .raw()
  const guard = new ViewGuard()
  return (stored.all() as readonly (readonly [string, string, string])[]).flatMap(([type, name, sql]) => {
    const tokens = sqlTokens(sql)
    const faults = [guard.fault(tokens), definitionFault(tokens)].filter((fault) => fault !== null)
    return faults.map((fault) => `${type} ${name} ${fault}`)
  })
}

function imageFromCopy(path: string, source: string, clock: string): DatabaseImage {
  const database = openSqlite(path)
  try {
    const endless = definitionFindings(database)
    if (endless.length > 0) throw invalidDatabase(endless, source)
    normalize(database)
    const findings = [
      ...unreadableViews(database),
      ...foreignKeyFindings(database, readTables(database)),
      ...triggerFindings(database),
    ]
    if (findings.length > 0) throw invalidDatabase(findings, source)
    return imageOf(database, clock)
  } finally {
    database.close()
  }
}

/**
 * The image of a database file, whatever journal mode it is in and whoever has it open. The source's bytes stay as they
 * are, and rows that lie in its write-ahead log are there.
 *
 * @param clock - the instant at which instances stand still, ISO 8601 UTC with milliseconds.
 * @throws {RlenvError} RLENV_DATABASE_INVALID naming every row, by table and row id, whose parent is missing.
 */
export async function imageFromFile(path: string, clock: string): Promise<DatabaseImage> {
  const directory = mkdtempSync(join(tmpdir(), 'rlenv-import-'))
  const copy = join(directory, 'database.sqlite')
  try {
    await copyDatabase(path, copy)
    return imageFromCopy(copy, path, clock)
  } catch (cause) {
    if (cause instanceof RlenvError) throw cause
    throw new RlenvError(`${path} cannot be read as a database: ${messageOf(cause)}`, {
      code: 'RLENV_DATABASE_INVALID',
      fix: 'Name a SQLite database file.',
      cause,
    })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
