import { admittedFunctions, refusedOpcodes } from './admitted-sql.ts'

/** One instruction of a statement's program. Source: sqlite.org/opcode.html. */
export interface Opcode {
  readonly addr: number
  readonly opcode: string
  readonly p1: number
  readonly p2: number
  readonly p3: number
  readonly p4: string | null
  readonly p5: number
}

/** A line of EXPLAIN, as its columns stand. Source: sqlite.org/lang_explain.html and the pinned version's opcodes. */
export type OpcodeColumns = readonly [
  addr: number,
  opcode: string,
  p1: number,
  p2: number,
  p3: number,
  p4: string | null,
  p5: number,
]

export const opcodeOf = ([addr, opcode, p1, p2, p3, p4, p5]: OpcodeColumns): Opcode => ({
  addr,
  opcode,
  p1,
  p2,
  p3,
  p4,
  p5,
})

/** Flag of an Insert opcode that sets the connection's last row id. Source: OPFLAG_LASTROWID of SQLite. */
const setsLastRowid = 0x20

/** Opcodes that go back for another row. */
const loops = new Set(['Next', 'Prev', 'VNext', 'SorterNext', 'Yield', 'InitCoroutine', 'Gosub'])

export const isLoop = ({ opcode }: Opcode): boolean => loops.has(opcode)

/** Holds for look-ups by key; what it does not see as one row is only read more slowly. */
export function yieldsOneRow(opcodes: readonly Opcode[]): boolean {
  const results = opcodes.filter(({ opcode }) => opcode === 'ResultRow').length
  return results === 1 && !opcodes.some(isLoop)
}

const callsFunction = new Set(['Function', 'PureFunc', 'AggStep', 'AggStep1', 'AggInverse', 'AggValue', 'AggFinal'])

/** Why a program may not run. */
export function opcodeFaults(opcodes: readonly Opcode[]): string[] {
  const faults = new Set<string>()
  for (const { opcode, p3, p4 } of opcodes) {
    if (refusedOpcodes.has(opcode)) faults.add(`does more than read and write rows (${opcode})`)
    if ((opcode === 'OpenRead' || opcode === 'OpenWrite') && p3 !== 0) faults.add('reaches another database')
    if (!callsFunction.has(opcode) || p4 === null) continue
    const name = p4.replace(/\(-?\d+\)$/, '').toLowerCase()
    if (!admittedFunctions.has(name)) faults.add(`calls ${name}(), which is not allowed`)
  }
  return [...faults]
}

/** Looks at the statement's own program, which comes first; those of triggers each start again at address 0. */
export function reportsRowid(opcodes: readonly Opcode[]): boolean {
  const next = opcodes.findIndex(({ addr }, index) => index > 0 && addr === 0)
  const own = next < 0 ? opcodes : opcodes.slice(0, next)
  return own.some(({ opcode, p1, p5 }) => {
    return opcode === 'Insert' ? (p5 & setsLastRowid) !== 0 : opcode === 'VUpdate' && p1 === 1
  })
}

/** Number of the database file that holds an environment's own tables. */
const main = 0

/**
 * Root pages of the tables and indexes that a program opens for reading or writing; null if it reaches what has none,
 * as virtual tables do.
 */
export function openedPages(opcodes: readonly Opcode[]): ReadonlySet<number> | null {
  const pages = new Set<number>()
  for (const { opcode, p2, p3 } of opcodes) {
    if (opcode === 'VOpen') return null
    if (opcode !== 'OpenRead' && opcode !== 'OpenWrite') continue
    if (p3 !== main) return null
    pages.add(p2)
  }
  return pages
}

/** Collations besides BINARY by which a program looks up rows of indexes. Source: how EXPLAIN writes a KeyInfo, `k(2,NOCASE,-B)`. */
export function searchedCollations(opcodes: readonly Opcode[]): ReadonlySet<string> {
  const keys = opcodes.flatMap(({ opcode, p4 }) => {
    const opens = opcode === 'OpenRead' || opcode === 'OpenWrite' || opcode === 'OpenAutoindex'
    const key = opens ? /^k\(\d+,(.*)\)$/.exec(p4 ?? '')?.[1] : undefined
    return key?.split(',') ?? []
  })
  const names = keys.map((name) => name.replace(/^(?:-|N\.)+/, ''))
  return new Set(names.filter((name) => name !== '' && name !== 'B'))
}
