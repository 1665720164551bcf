import type { RowChange, StateDiff } from '../../vocabulary/state-diff.ts'
import { changeOf, compareChanges, diffTable, keyText, rowKey, sameRow, type TableScan } from '../diff/table-diff.ts'
import type { SqliteRow, SqliteValue } from '../sqlite/cell.ts'
import type { Connection } from '../sqlite/connection.ts'
import type { RegisteredStatement } from '../sqlite/statement-registry.ts'
import { ChangedTexts, type ComparedRow } from './changed-texts.ts'
import { largestRowid } from './largest-rowid.ts'

/** Where rows are read from; tables go by their position. */
export interface RowSource {
  readonly scans: readonly TableScan[]
  /** Whether no two rows of a table share an identity in the initial state, nor in others without NULL in it. */
  keyed(table: number): boolean
  /** The row with a key as every instance starts with it. */
  baseRow(table: number, key: SqliteRow): SqliteRow | undefined
  /** All rows of a table as every instance starts with them. */
  baseRows(table: number): readonly SqliteRow[]
  /** The row with a key as a connection sees it. */
  rowAt(connection: Connection, table: number, key: SqliteRow): SqliteRow | undefined
  /** All rows of a table as a connection sees them. */
  scan(connection: Connection, table: number): readonly SqliteRow[]
}

/** What a call may have changed in a table: rows by their id, rows by their key, or, null, anything. */
export type TouchedRows = ReadonlySet<bigint> | readonly SqliteRow[] | null

interface RowPair extends ComparedRow {
  /** See {@link ChangedTexts.gainOf}. */
  gain: number
  /** What became of it, if that was already told: by the only call so far that touched it. */
  change: RowChange | null
}

/** Rows of a table with a key that differ from the initial state, by key. */
type Pairs = Map<bigint | string, RowPair>

/** In which form a key is looked up. */
const lookup = (key: SqliteRow): bigint | string =>
  key.length === 1 && typeof key[0] === 'bigint' ? key[0] : keyText(key)

/** A text that was no valid UTF-8 reads as one that finds no row. */
const unsure = (value: SqliteValue): boolean =>
  value === null || (typeof value === 'string' && value.includes('\uFFFD'))

function pairsOf(scan: TableScan, base: readonly SqliteRow[], now: readonly SqliteRow[]): Pairs {
  const shorter = Math.min(base.length, now.length)
  let start = 0
  while (start < shorter && sameRow(base[start], now[start])) start++
  let [baseEnd, nowEnd] = [base.length, now.length]
  while (baseEnd > start && nowEnd > start && sameRow(base[baseEnd - 1], now[nowEnd - 1])) {
    baseEnd--
    nowEnd--
  }
  const pairs: Pairs = new Map()
  for (let i = start; i < baseEnd; i++) {
    const row = base[i] as SqliteRow
    pairs.set(lookup(rowKey(scan, row)), { base: row, now: undefined, gain: 0, change: null })
  }
  for (let i = start; i < nowEnd; i++) {
    const row = now[i] as SqliteRow
    const key = lookup(rowKey(scan, row))
    const known = pairs.get(key)
    if (sameRow(known?.base, row)) pairs.delete(key)
    else pairs.set(key, { base: known?.base, now: row, gain: 0, change: null })
  }
  return pairs
}

/** Rows that one instance has changed, and which tables it has written. The rows are kept by key, so that neither a diff nor a fork depends on how large the image is. */
export class ChangedRows {
  readonly #source: RowSource
  /** Changed rows of tables with a key. */
  readonly #pairs = new Map<number, Pairs>()
  /** All rows of written tables without one. */
  readonly #whole = new Map<number, readonly SqliteRow[]>()
  /** How often rows of those have changed. */
  readonly #wholeChanges = new Map<number, number>()
  /** Of all tables together. */
  #size = 0
  /** Tables that statements which were run may have written, whatever became of it. */
  readonly #written = new Set<number>()
  #pristine = true
  #exhausted = false
  readonly #texts: ChangedTexts

  /** @param start - another instance's, to begin with a copy of. */
  constructor(source: RowSource, start?: ChangedRows) {
    this.#source = source
    this.#texts = new ChangedTexts(start?.texts)
    if (start === undefined) return
    for (const [table, pairs] of start.#pairs) this.#pairs.set(table, new Map(pairs))
    for (const [table, rows] of start.#whole) this.#whole.set(table, rows)
    for (const [table, changes] of start.#wholeChanges) this.#wholeChanges.set(table, changes)
    this.#size = start.#size
    for (const table of start.#written) this.#written.add(table)
    this.#pristine = start.#pristine
    this.#exhausted = start.#exhausted
  }

  /** To be told of every write, before it runs. */
  writes({ writes }: RegisteredStatement): void {
    this.#pristine = false
    for (const table of writes) this.#written.add(table)
  }

  /** Whether one of them may have written a table. */
  wrote(table: number): boolean {
    return this.#written.has(table)
  }

  /** Whether a statement that only reads finds what it would find in the initial state. */
  readsInitial({ reads, readOnly }: Pick<RegisteredStatement, 'reads' | 'readOnly'>): boolean {
    if (!readOnly) return false
    return this.#pristine || (reads?.every((table) => !this.#written.has(table)) ?? false)
  }

  /** Whether a row got the largest row id there is, behind which SQLite gives out unused ones at random. */
  get exhaustsRowids(): boolean {
    return this.#exhausted
  }

  /** How many rows differ from the initial state, at most. */
  get size(): number {
    return this.#size
  }

  /** How many of them are in one table. */
  sizeOf(table: number): number {
    return this.#wholeChanges.get(table) ?? this.#pairs.get(table)?.size ?? 0
  }

  /** How long texts have become. */
  get texts(): ChangedTexts {
    return this.#texts
  }

  /** Rows of a table that differ from the initial state; of one without a key, all of them. */
  rowsOf(table: number): Iterable<ComparedRow> {
    const whole = this.#whole.get(table)
    return whole?.map((now) => ({ base: undefined, now })) ?? this.#pairs.get(table)?.values() ?? []
  }

  /** How many values of those rows come before the table's columns. */
  leadOf(table: number): number {
    return this.#scanOf(table).lead
  }

  /** Whether a table may differ from the initial state. */
  has(table: number): boolean {
    return this.#whole.has(table) || (this.#pairs.get(table)?.size ?? 0) > 0
  }

  /** Takes in what a call touched. Returns every row that differs from before it, by table, then key. */
  take(connection: Connection, touched: ReadonlyMap<number, TouchedRows>): StateDiff {
    if (touched.size === 0) return []
    const tables = touched.size > 1 ? [...touched].sort(([a], [b]) => a - b) : touched
    const changes: RowChange[] = []
    for (const [table, rows] of tables) {
      const size = this.sizeOf(table)
      for (const change of this.#takeTable(connection, table, rows)) changes.push(change)
      this.#size += this.sizeOf(table) - size
    }
    return changes
  }

  /** Every row that differs from the initial state. */
  diff(): StateDiff {
    const tables = [...this.#pairs.keys(), ...this.#whole.keys()].sort((a, b) => a - b)
    const changes: RowChange[] = []
    for (const table of tables) {
      const rows = this.#whole.get(table)
      const scan = this.#scanOf(table)
      const pairs = this.#pairs.get(table)
      if (rows !== undefined) changes.push(...diffTable(scan, this.#source.baseRows(table), rows))
      else if (pairs !== undefined) changesOf(scan, pairs, changes)
    }
    return changes
  }

  #takeTable(connection: Connection, table: number, rows: TouchedRows): StateDiff {
    if (this.#whole.has(table) || !this.#source.keyed(table)) return this.#takeWhole(connection, table)
    if (rows === null) return this.#takeScan(connection, table)
    const changes: (RowChange | null)[] = []
    if (isIds(rows)) for (const id of rows) changes.push(this.#takeRow(connection, table, [id]))
    else {
      if (rows.some((key) => key.some(unsure))) return this.#takeScan(connection, table)
      for (const key of rows) changes.push(this.#takeRow(connection, table, key))
    }
    return sorted(changes)
  }

  #takeRow(connection: Connection, table: number, key: SqliteRow): RowChange | null {
    const pairs = this.#pairsOf(table)
    const at = lookup(key)
    if (at === largestRowid) this.#exhausted = true
    const known = pairs.get(at)
    const base = known === undefined ? this.#source.baseRow(table, key) : known.base
    const before = known === undefined ? base : known.now
    const now = this.#source.rowAt(connection, table, key)
    const change = changeOf(this.#scanOf(table), before, now)
    const same = sameRow(base, now)
    const gain = same ? 0 : this.#texts.gainOf(base, now)
    this.#texts.add(table, gain - (known?.gain ?? 0))
    if (same) pairs.delete(at)
    else pairs.set(at, { base, now, gain, change: known === undefined ? change : null })
    return change
  }

  #takeScan(connection: Connection, table: number): StateDiff {
    const scan = this.#scanOf(table)
    const known = this.#pairsOf(table)
    const now = this.#source.scan(connection, table)
    const pairs = pairsOf(scan, this.#source.baseRows(table), now)
    const nulls = scan.unique === 'without NULL' && [...pairs.values()].some((pair) => hasUnsureKey(scan, pair))
    if (nulls) return this.#turnWhole(table, known, now)
    if (pairs.has(largestRowid)) this.#exhausted = true
    this.#pairs.set(table, pairs)
    const changes: (RowChange | null)[] = []
    let gained = 0
    for (const [key, pair] of pairs) {
      pair.gain = this.#texts.gainOf(pair.base, pair.now)
      gained += pair.gain
      const before = known.get(key)
      const change = changeOf(scan, before === undefined ? pair.base : before.now, pair.now)
      if (before === undefined) pair.change = change
      changes.push(change)
    }
    this.#texts.set(table, gained)
    for (const [key, pair] of known) if (!pairs.has(key)) changes.push(changeOf(scan, pair.now, pair.base))
    return sorted(changes)
  }

  /** From here on rows of this table may share their identity. */
  #turnWhole(table: number, known: Pairs, now: readonly SqliteRow[]): StateDiff {
    const scan = this.#scanOf(table)
    const before = this.#source.baseRows(table).filter((row) => !known.has(lookup(rowKey(scan, row))))
    for (const pair of known.values()) if (pair.now !== undefined) before.push(pair.now)
    this.#pairs.delete(table)
    return this.#setWhole(table, before, now, known.size)
  }

  #takeWhole(connection: Connection, table: number): StateDiff {
    const before = this.#whole.get(table) ?? this.#source.baseRows(table)
    const now = this.#source.scan(connection, table)
    return this.#setWhole(table, before, now, this.sizeOf(table))
  }

  #setWhole(table: number, before: readonly SqliteRow[], now: readonly SqliteRow[], changes: number): StateDiff {
    const diff = diffTable(this.#scanOf(table), before, now)
    this.#whole.set(table, now)
    const length = (rows: readonly SqliteRow[]) =>
      rows.reduce((sum, row) => sum + this.#texts.gainOf(undefined, row), 0)
    this.#texts.set(table, Math.max(0, length(now) - length(this.#source.baseRows(table))))
    this.#wholeChanges.set(table, changes + diff.length)
    return diff
  }

  #pairsOf(table: number): Pairs {
    const known = this.#pairs.get(table)
    if (known !== undefined) return known
    const fresh: Pairs = new Map()
    this.#pairs.set(table, fresh)
    return fresh
  }

  #scanOf(table: number): TableScan {
    return this.#source.scans[table] as TableScan
  }
}

const byId = (a: bigint | string, b: bigint | string): number => (a < b ? -1 : 1)

/** Adds what became of the rows of a table, in the order of their keys; row ids need no look at the rows for that. */
function changesOf(scan: TableScan, pairs: Pairs, into: RowChange[]): void {
  const keys = [...pairs.keys()]
  const byRowid = keys.every((key) => typeof key === 'bigint')
  if (byRowid && keys.some((key, index) => index > 0 && key < (keys[index - 1] as bigint))) keys.sort(byId)
  const changes = keys.map((key) => {
    const { base, now, change } = pairs.get(key) as RowPair
    return change ?? changeOf(scan, base, now)
  })
  for (const change of byRowid ? changes : sorted(changes)) if (change !== null) into.push(change)
}

const isIds = (rows: ReadonlySet<bigint> | readonly SqliteRow[]): rows is ReadonlySet<bigint> => rows instanceof Set

const hasUnsureKey = (scan: TableScan, { base, now }: RowPair): boolean =>
  rowKey(scan, (now ?? base) as SqliteRow).some(unsure)

function sorted(changes: readonly (RowChange | null)[]): StateDiff {
  const real = changes.filter((change) => change !== null)
  return real.length > 1 ? real.sort(compareChanges) : real
}
