import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { refusedOpcodes } from '../../../src/environment/sqlite/admitted-sql.ts'
import { checkNativeModule, openSqlite } from '../../../src/environment/sqlite/native-module.ts'
import { clock, database, environment } from '../workshop.ts'

describe('the SQLite binding', () => {
  test('reports its version', () => {
    expect(checkNativeModule()).toMatchObject({ ok: true, sqliteVersion: expect.stringMatching(/^3\./), fix: null })
  })

  test('names Node, its ABI and the repairing command when it was built for another Node', () => {
    const report = checkNativeModule(() => {
      throw Object.assign(
        new Error('was compiled against a different Node.js version using NODE_MODULE_VERSION 108.'),
        { code: 'ERR_DLOPEN_FAILED' },
      )
    })
    expect(report).toMatchObject({
      ok: false,
      sqliteVersion: null,
      fix: 'Run "npm rebuild better-sqlite3" with this Node.',
    })
    expect(report.message).toContain(
      `built for another Node: this is Node ${process.version}, ABI ${process.versions.modules}`,
    )
  })

  test('turns a binding that cannot be loaded into one error with a code', () => {
    expect(() => openSqlite(':memory:', { nativeBinding: '/nowhere/better_sqlite3.node' })).toThrow(
      expect.objectContaining({ code: 'RLENV_NATIVE_MODULE' }),
    )
    expect(() => openSqlite('/nowhere/at/all.db')).toThrow(/directory does not exist/)
  })

  test('is the version whose opcodes were looked at; look again before changing this', () => {
    const db = new Database(':memory:')
    expect(db.prepare('SELECT sqlite_version()').pluck().get()).toMatch(/^3\.53\./)
    db.exec('CREATE TABLE t (x)')
    const opcodes = (sql: string) =>
      db
        .prepare(`EXPLAIN ${sql}`)
        .all()
        .map((row) => (row as { opcode: string }).opcode)
    for (const sql of [
      "ATTACH ':memory:' AS other",
      'BEGIN',
      'SAVEPOINT s',
      'VACUUM',
      'CREATE TABLE u (y)',
      'DROP TABLE t',
      'CREATE INDEX i ON t (x)',
      'ALTER TABLE t ADD y',
      'ANALYZE',
      'PRAGMA journal_mode = OFF',
      'PRAGMA integrity_check',
      'CREATE VIRTUAL TABLE v USING fts5(x)',
    ]) {
      expect([sql, opcodes(sql).some((opcode) => refusedOpcodes.has(opcode))]).toEqual([sql, true])
    }
    db.close()
  })

  test('enforces foreign keys on every connection', () => {
    const { base } = environment(database('CREATE TABLE t (x)'))
    expect(base.database.pragma('foreign_keys', { simple: true })).toBe(1)
    expect(base.database.prepare("SELECT datetime('now') AS at").pluck().get()).toBe(
      clock.slice(0, 19).replace('T', ' '),
    )
  })
})
