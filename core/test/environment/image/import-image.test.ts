import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, test } from 'vitest'
import { imageFromFile } from '../../../src/environment/image/import-image.ts'
import { clock } from '../workshop.ts'

const folders: string[] = []

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rlenv-import-test-'))
  folders.push(folder)
  return join(folder, 'world.sqlite')
}

const digest = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

describe('imageFromFile', () => {
  test('sees rows that lie only in the write-ahead log, and changes nothing of its source', async () => {
    const path = file()
    const writer = new Database(path)
    writer.pragma('journal_mode = WAL')
    writer.pragma('wal_autocheckpoint = 0')
    writer.exec(
      "CREATE TABLE bins (id INTEGER PRIMARY KEY, label TEXT); INSERT INTO bins (label) VALUES ('glass'), ('paper')",
    )
    const before = [digest(path), digest(`${path}-wal`)]
    const images = await Promise.all(Array.from({ length: 4 }, () => imageFromFile(path, clock)))
    expect([digest(path), digest(`${path}-wal`)]).toEqual(before)
    expect(new Set(images.map((image) => image.hash)).size).toBe(1)
    for (const { bytes } of images) {
      const clone = new Database(bytes)
      expect(clone.prepare('SELECT label FROM bins ORDER BY id').pluck().all()).toEqual(['glass', 'paper'])
      clone.exec("INSERT INTO bins (label) VALUES ('only here')")
      clone.close()
    }
    expect(writer.prepare('SELECT count(*) FROM bins').pluck().get()).toBe(2)
    writer.close()
  })

  test('reads an idle database in WAL mode as well', async () => {
    const path = file()
    const writer = new Database(path)
    writer.pragma('journal_mode = WAL')
    writer.exec('CREATE TABLE t (x); INSERT INTO t VALUES (1)')
    writer.close()
    const before = digest(path)
    const image = await imageFromFile(path, clock)
    expect(digest(path)).toBe(before)
    expect(image.tables.map((table) => table.name)).toEqual(['t'])
    expect([image.bytes.readUInt16BE(16), image.bytes[18]]).toEqual([1024, 1])
  })

  test('refuses a file with an orphan, naming table and row', async () => {
    const path = file()
    const careless = new Database(path)
    careless.pragma('foreign_keys = OFF')
    careless.exec(
      `CREATE TABLE vets (id INTEGER PRIMARY KEY); CREATE TABLE visits (id INTEGER PRIMARY KEY, vet_id REFERENCES vets(id));
       INSERT INTO visits VALUES (1, 10), (2, 77); INSERT INTO vets VALUES (10)`,
    )
    careless.close()
    await expect(imageFromFile(path, clock)).rejects.toMatchObject({
      code: 'RLENV_DATABASE_INVALID',
      message: expect.stringContaining('visits rowid 2: visits.vet_id refers to no row of vets'),
    })
  })

  test('refuses a file with a view that only other clients can read, naming it', async () => {
    const path = file()
    const writer = new Database(path)
    writer.exec('CREATE TABLE t (name TEXT); CREATE VIEW named AS SELECT * FROM t WHERE name = "Ana"')
    writer.close()
    await expect(imageFromFile(path, clock)).rejects.toMatchObject({
      code: 'RLENV_DATABASE_INVALID',
      message: expect.stringContaining('view named: no such column: "Ana"'),
    })
  })

  test('refuses a file whose tables search for a text that repeats itself, naming them, and reads one with an R-tree', async () => {
    const path = file()
    const writer = new Database(path)
    writer.exec(`CREATE TABLE t (body TEXT CHECK (body NOT LIKE '%${'a'.repeat(300)}b'))`)
    await expect(imageFromFile(path, clock)).rejects.toMatchObject({
      code: 'RLENV_DATABASE_INVALID',
      message: expect.stringMatching(/table t has a text after LIKE that must have at most 32 characters/),
    })
    writer.exec(
      'DROP TABLE t; CREATE VIRTUAL TABLE places USING rtree (id, west, east); INSERT INTO places VALUES (1, 2, 3)',
    )
    writer.close()
    const clone = new Database((await imageFromFile(path, clock)).bytes)
    expect(clone.prepare('SELECT id FROM places WHERE west < 3').pluck().all()).toEqual([1])
    clone.close()
  })

  test('refuses a file that is no database, and one that does not exist', async () => {
    const path = file()
    await expect(imageFromFile(path, clock)).rejects.toMatchObject({ code: 'RLENV_DATABASE_INVALID' })
    writeFileSync(path, 'not a database at all')
    await expect(imageFromFile(path, clock)).rejects.toMatchObject({ code: 'RLENV_DATABASE_INVALID' })
  })
})
