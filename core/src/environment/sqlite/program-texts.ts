import { functionWork, joinsRows, shortText } from './function-work.ts'
import type { Opcode } from './opcodes.ts'
import { RegisterFlow } from './register-flow.ts'

/** What a program's texts depend on besides itself. Lengths in characters. */
export interface TextFacts {
  /** Longest text in a column of the table or index that begins at a page. */
  column(page: number, column: number): number
  /** Of virtual tables: their longest text, the most words that one has, and the rows that one of them is taken to yield. */
  readonly virtual: { readonly length: number; readonly words: number; readonly rows: number }
  /** Whether it unpacks lists, by json_each() or json_tree(). */
  readonly unpacks: boolean
  /** Longest text of an argument. */
  readonly parameter: number
  /** Upper bound of row visits. */
  readonly visits: number
}

/** Time to copy or to compare a character. */
const copyTime = 0.1

/** Time of snippet() for each pair of words that may be found, and of reading a character of JSON. */
const snippetTime = 10
const jsonTime = 6

/** Fewest characters that an entry of a list takes in JSON. */
const charactersOfEntry = 2

/** Arguments of a function that takes any number of them that are looked at. */
const mostArguments = 8

const comparisons = new Set(['Eq', 'Ne', 'Lt', 'Le', 'Gt', 'Ge'])
const arithmetic = new Set(['Add', 'Subtract', 'Multiply', 'Divide', 'Remainder'])
/** Instructions that write a number. */
const numbers = new Set(['Integer', 'Int64', 'Real', 'Rowid', 'NewRowid', 'Count', 'Sequence', 'IdxRowid'])
/** Functions of full-text search that return a text with marks in it. */
const marking = new Set(['highlight', 'snippet'])

/** How many registers an instruction copies. */
const copied = (opcode: string, p3: number): number =>
  opcode === 'Copy' ? p3 + 1 : opcode === 'Move' ? p3 : opcode === 'SCopy' ? 1 : 0

const inserts = new Set(['Insert', 'IdxInsert', 'SorterInsert'])
const opens = new Set(['OpenRead', 'OpenWrite'])

/** Name and number of arguments: `substr(3)`. */
const calledAs = /^(.*)\((-?\d+)\)$/

/** What a call is to: `substr` of `substr(3)`. */
export const calledName = (called: string | null): string => (called ?? '').replace(calledAs, '$1').toLowerCase()

/**
 * Follows the lengths of texts through one program, whose every instruction is a step: what its registers may hold there at
 * most, by whatever way it came. What comes back by a loop is known when all was gone through before.
 * Source: sqlite.org/opcode.html.
 */
export class ProgramTexts {
  readonly #facts: TextFacts
  readonly #registers = new RegisterFlow()
  readonly #records = new Map<number, readonly number[]>()
  /** Root pages of stored tables, and rows that the program itself has stored, by cursor. */
  readonly #pages = new Map<number, number>()
  readonly #stored = new Map<number, number[]>()
  readonly #pseudo = new Map<number, number>()
  readonly #virtual = new Map<number, number>()
  /** Numbers that registers hold. */
  readonly #integers = new Map<number, number>()
  /** Entries of the lists that are unpacked, by the instruction that does it. */
  readonly #unpacked = new Map<number, number>()
  /** Registers that hold the joined texts of a group, each row's once. */
  readonly #joined = new Set<number>()
  longest = 0

  constructor(facts: TextFacts) {
    this.#facts = facts
  }

  /** Notes what an instruction writes, and returns the time that texts make it take, in nanoseconds. */
  step(opcode: Opcode): number {
    this.#registers.enter(opcode.addr)
    const time = this.#carryOut(opcode)
    this.#registers.leave(opcode)
    return time
  }

  #carryOut(opcode: Opcode): number {
    const { opcode: name, p1, p2, p3 } = opcode
    if (name === 'Function' || name === 'PureFunc') return this.#call(opcode)
    if (name === 'AggStep' || name === 'AggStep1') return this.#gather(opcode)
    if (name === 'MakeRecord') return this.#record(opcode)
    if (name === 'VFilter') return this.#filter(opcode)
    if (name === 'Concat') return this.#write(p3, this.#read(p1) + this.#read(p2)) * copyTime
    if (comparisons.has(name)) return Math.min(this.#read(p1), this.#read(p3)) * copyTime
    if (name === 'Column') return this.#write(p3, this.#column(p1, p2)) * (this.#pseudo.has(p1) ? 0 : copyTime)
    if (name === 'VColumn') return this.#write(p3, this.#virtual.get(p1) ?? this.#facts.virtual.length) * copyTime
    this.#move(opcode)
    return 0
  }

  #move({ opcode, p1, p2, p3, p4 }: Opcode): void {
    const made = this.#made(opcode, p4)
    if (made !== undefined) this.#write(p2, made)
    for (let at = 0; at < copied(opcode, p3); at++) this.#write(p2 + at, this.#read(p1 + at))
    if (opcode === 'AggValue' || arithmetic.has(opcode))
      this.#write(p3, opcode === 'AggValue' ? this.#read(p1) : shortText)
    else if (opcode === 'AggFinal' && joinsRows.has(calledName(p4))) this.#joined.add(p1)
    else this.#keep(opcode, p1, p2)
    if (opcode === 'Integer') this.#integers.set(p2, p1)
  }

  /** Length of what an instruction writes by itself. */
  #made(opcode: string, p4: string | null): number | undefined {
    if (opcode === 'Variable') return this.#facts.parameter
    if (opcode === 'Param') return Math.max(this.#facts.parameter, this.#facts.virtual.length)
    if (opcode === 'String8' || opcode === 'String') return p4?.length ?? 0
    return numbers.has(opcode) ? shortText : undefined
  }

  #keep(opcode: string, p1: number, p2: number): void {
    if (opens.has(opcode)) this.#pages.set(p1, p2)
    else if (opcode === 'OpenPseudo') this.#pseudo.set(p1, p2)
    else if (opcode === 'OpenDup') this.#stored.set(p1, this.#rowsOf(p2))
    else if (opcode === 'SorterData' || opcode === 'RowData') this.#records.set(p2, this.#rowsOf(p1))
    else if (inserts.has(opcode)) this.#store(p1, this.#records.get(p2) ?? [])
  }

  /**
   * A table-valued function reads its arguments each time, before all the rows that it makes of them. A search in a table,
   * unlike those, has a text that says how it is carried out.
   */
  #filter({ addr, p1, p3, p4 }: Opcode): number {
    const count = this.#integers.get(p3 + 1) ?? 0
    const given = Array.from({ length: count }, (_, index) => this.#read(p3 + 2 + index))
    if (!p4) this.#unpacked.set(addr, Math.max(1, ...given) / charactersOfEntry)
    const length = Math.max(this.#facts.virtual.length, ...given)
    this.#virtual.set(p1, length)
    return (jsonTime * length) / Math.max(1, this.#facts.virtual.rows)
  }

  /** How many times more rows the lists that it unpacks may have than they are taken to have. */
  get unpacking(): number {
    const { rows } = this.#facts.virtual
    return [...this.#unpacked.values()].reduce((product, entries) => product * Math.max(1, entries / rows), 1)
  }

  #read(register: number): number {
    return this.#registers.lengths.get(register) ?? 0
  }

  #write(register: number, length: number): number {
    this.#registers.lengths.set(register, length)
    this.longest = Math.max(this.longest, length)
    return length
  }

  #rowsOf(cursor: number): number[] {
    const rows = this.#stored.get(cursor) ?? []
    this.#stored.set(cursor, rows)
    return rows
  }

  #store(cursor: number, record: readonly number[]): void {
    const rows = this.#rowsOf(cursor)
    record.forEach((length, column) => {
      rows[column] = Math.max(rows[column] ?? 0, length)
    })
  }

  #column(cursor: number, column: number): number {
    const page = this.#pages.get(cursor)
    if (page !== undefined) return this.#facts.column(page, column)
    const register = this.#pseudo.get(cursor)
    const record = register === undefined ? this.#rowsOf(cursor) : (this.#records.get(register) ?? [])
    return record[column] ?? Math.max(0, ...record)
  }

  /** Lengths of a call's arguments. How many there are is not told of a function that takes any number. */
  #arguments(first: number, called: string): readonly number[] {
    const count = Number(calledAs.exec(called)?.[2] ?? 1)
    const lengths: number[] = []
    for (let at = first; lengths.length < (count < 0 ? mostArguments : count); at++) {
      if (count < 0 && !this.#registers.lengths.has(at)) break
      lengths.push(this.#read(at))
    }
    return lengths
  }

  #call({ p2, p3, p4 }: Opcode): number {
    const [name, lengths] = [calledName(p4), this.#arguments(p2, p4 ?? '')]
    const work = functionWork(name)
    this.#write(p3, work.length(lengths))
    // The joined texts of all groups together are no longer than those of all rows.
    const spread = this.#joined.has(p2) ? this.#facts.visits : 1
    if (marking.has(name)) return this.#mark(p3, name, lengths)
    return work.time(lengths) / spread
  }

  /** Words that are found are put between two texts. */
  #mark(target: number, name: string, lengths: readonly number[]): number {
    const { words } = this.#facts.virtual
    const marked = lengths.reduce((sum, length) => sum + length * words, shortText)
    return this.#write(target, marked) * copyTime + (name === 'snippet' ? words ** 2 * snippetTime : 0)
  }

  #gather({ p2, p3, p4 }: Opcode): number {
    const [name, lengths] = [calledName(p4), this.#arguments(p2, p4 ?? '')]
    const time = functionWork(name).time(lengths)
    if (!joinsRows.has(name)) this.#write(p3, functionWork(name).length(lengths))
    else this.#write(p3, this.#facts.visits * lengths.reduce((sum, length) => sum + length, 1))
    return time
  }

  #record({ p1, p2, p3 }: Opcode): number {
    const registers = Array.from({ length: p2 }, (_, index) => p1 + index)
    const record = registers.map((register) => this.#read(register))
    this.#records.set(p3, record)
    const copied = registers.filter((register) => !this.#joined.has(register))
    return copied.reduce((sum, register) => sum + this.#read(register), 0) * copyTime
  }
}
