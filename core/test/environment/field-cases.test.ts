import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, test } from 'vitest'
import { buildImage } from '../../src/environment/image/build-image.ts'
import { imageFromFile } from '../../src/environment/image/import-image.ts'
import type { JsonObject } from '../../src/vocabulary/json.ts'
import { clock, database, environment, sqlTool } from './workshop.ts'

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'rlenv-field-cases-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface NumberIntoText {
  readonly tool: { readonly name: string; readonly inputSchema: { readonly properties: JsonObject } }
  readonly cases: readonly {
    readonly arguments?: JsonObject
    readonly direct_write?: JsonObject
    readonly expect: {
      readonly ok?: boolean
      readonly row?: { readonly locker_no: string; readonly typeof: string }
      readonly mentions?: readonly string[]
      readonly typeof_tag?: string
      readonly tag_as_text?: string
    }
  }[]
}

describe('parcels in lockers that are numbered by text', () => {
  const { tool, cases } = JSON.parse(fixture('json-number-into-text.json')) as NumberIntoText
  const lines = fixture('json-number-into-text.sql').split('\n')
  const isRow = (line: string) => line.startsWith('INSERT')
  const schema = lines.filter((line) => !isRow(line)).join('\n')
  const data = lines.filter(isRow).join('\n')
  const world = environment(database(schema, data), [
    sqlTool(tool.name, tool.inputSchema.properties, [
      { kind: 'run', sql: 'UPDATE parcels SET locker_no = @locker_no WHERE parcel_id = @parcel_id' },
    ]),
    sqlTool('add_parcel', { parcel_id: {}, locker_no: {}, tag: {} }, [
      { kind: 'run', sql: 'INSERT INTO parcels VALUES (@parcel_id, @locker_no, @tag)' },
    ]),
  ])

  test.each(cases.filter((entry) => entry.arguments))('$arguments are stored as text or refused by schema', (entry) => {
    const instance = world.open({ seed: 0 })
    const before = instance.query('SELECT * FROM parcels')
    const { result } = instance.call(tool.name, entry.arguments ?? {})
    expect(result.ok).toBe(entry.expect.ok)
    if (entry.expect.row === undefined) expect(instance.query('SELECT * FROM parcels')).toEqual(before)
    else
      expect(instance.query('SELECT locker_no, typeof(locker_no) AS typeof FROM parcels')).toEqual([entry.expect.row])
    for (const word of entry.expect.mentions ?? []) expect(JSON.stringify(result)).toContain(word)
    instance.close()
  })

  test.each(cases.filter((entry) => entry.direct_write))('$direct_write reach untyped columns as integers', (entry) => {
    const instance = world.open({ seed: 0 })
    expect(instance.call('add_parcel', entry.direct_write ?? {}).result.ok).toBe(true)
    const stored = instance.query(
      'SELECT typeof(tag) AS typeof_tag, CAST(tag AS TEXT) AS tag_as_text FROM parcels WHERE parcel_id = 2',
    )
    expect(stored).toEqual([entry.expect])
    instance.close()
  })
})

describe('a file built by a client that leaves foreign keys off', () => {
  test('is refused with its orphan and its key without a unique parent, and nothing else of it', async () => {
    const path = join(folder, 'foreign-keys.sqlite')
    const careless = new Database(path)
    careless.exec(fixture('foreign-keys.sql'))
    careless.exec(`INSERT INTO teams VALUES (1, 5); INSERT INTO players VALUES (5, 1), (6, 1);
      INSERT INTO employees VALUES (2, 1), (1, NULL)`)
    careless.close()
    const refusal = await imageFromFile(path, clock).catch((thrown: unknown) => thrown)
    expect(refusal).toMatchObject({ code: 'RLENV_DATABASE_INVALID' })
    expect(String(refusal).split('\n').slice(1)).toEqual([
      '  - foreign key gates.zone → zones.label: zones.label is neither a primary key nor UNIQUE',
      '  - visits rowid 2: visits.vet_id refers to no row of vets',
    ])
  })

  test('whose cycle nobody closes is refused with both tables named', () => {
    const schema = `CREATE TABLE teams (id INTEGER PRIMARY KEY, captain_id INTEGER NOT NULL REFERENCES players(id));
      CREATE TABLE players (id INTEGER PRIMARY KEY, team_id INTEGER NOT NULL REFERENCES teams(id));`
    expect(() => buildImage(database(schema, 'INSERT INTO teams VALUES (1, 5)'))).toThrow(
      'teams rowid 1: teams.captain_id refers to no row of players',
    )
  })
})

test('eight clones of a database whose rows lie only in its write-ahead log equal it and not each other', async () => {
  const path = join(folder, 'world.sqlite')
  const writer = new Database(path)
  writer.pragma('journal_mode = WAL')
  writer.pragma('wal_autocheckpoint = 0')
  writer.exec(
    "CREATE TABLE bins (id INTEGER PRIMARY KEY, label TEXT); INSERT INTO bins(label) VALUES ('glass'),('paper')",
  )
  const targets = Array.from({ length: 8 }, (_, index) => join(folder, `clone-${index}.sqlite`))
  await Promise.all(targets.map(async (target) => writeFileSync(target, (await imageFromFile(path, clock)).bytes)))
  for (const target of targets) {
    const clone = new Database(target)
    expect(clone.prepare('SELECT label FROM bins ORDER BY id').pluck().all()).toEqual(['glass', 'paper'])
    clone.exec("INSERT INTO bins(label) VALUES ('only here')")
    clone.close()
  }
  expect(writer.prepare('SELECT count(*) FROM bins').pluck().get()).toBe(2)
  writer.close()
})

/** Opens a database read-only, as a user to whom its folder is closed for writing, and prints its rows. */
function readAsReader(path: string): string {
  const driver = createRequire(import.meta.url).resolve('better-sqlite3')
  const script = `const Database = require(${JSON.stringify(driver)})
    const database = new Database(${JSON.stringify(path)}, { readonly: true })
    process.stdout.write(JSON.stringify(database.prepare('SELECT label FROM bins ORDER BY id').pluck().all()))`
  const isRoot = process.getuid?.() === 0
  // To the superuser no folder is closed.
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    ...(isRoot && { uid: 65_534 }),
  })
  return stdout === '' ? stderr : stdout
}

test('final worlds and the image of an idle WAL database can be read in a folder that takes no files', async () => {
  const closed = join(folder, 'closed')
  mkdirSync(closed)
  chmodSync(folder, 0o755)
  const bins = 'CREATE TABLE bins (id INTEGER PRIMARY KEY, label TEXT)'
  const writer = new Database(join(closed, 'idle.sqlite'))
  writer.pragma('journal_mode = WAL')
  writer.exec(`${bins}; INSERT INTO bins (label) VALUES ('glass')`)
  writer.close()
  writeFileSync(join(closed, 'image.sqlite'), (await imageFromFile(join(closed, 'idle.sqlite'), clock)).bytes)
  const world = environment(database(bins, "INSERT INTO bins (label) VALUES ('glass')"), [
    sqlTool('add', { label: { type: 'string' } }, [{ kind: 'run', sql: 'INSERT INTO bins (label) VALUES (@label)' }]),
  ])
  for (const strategy of ['clone', 'replay'] as const) {
    const instance = world.open({ seed: 1, strategy })
    expect(instance.call('add', { label: 'paper' }).result.ok).toBe(true)
    writeFileSync(join(closed, `${strategy}.sqlite`), instance.image())
    instance.close()
  }
  chmodSync(closed, 0o555)
  const read = (name: string) => readAsReader(join(closed, `${name}.sqlite`))
  expect([read('image'), read('clone'), read('replay')]).toEqual([
    '["glass"]',
    '["glass","paper"]',
    '["glass","paper"]',
  ])
  expect(read('idle')).toContain('SqliteError')
  chmodSync(closed, 0o755)
  expect(readdirSync(closed).sort()).toEqual(['clone.sqlite', 'idle.sqlite', 'image.sqlite', 'replay.sqlite'])
})
