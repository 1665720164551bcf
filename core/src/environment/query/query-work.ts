import type { Opcode } from '../sqlite/opcodes.ts'
import { literalText, writtenSearches } from '../sqlite/search-words.ts'
import { isSymbol, type SqlToken } from '../sqlite/sql-text.ts'
import { selfOverlap } from '../sqlite/text-repetition.ts'

/** Functions that are carried out outside of SQLite: each call looks at the clock, and takes a bounded time. */
const clocked = /^(?:date|time|datetime|julianday|unixepoch|strftime|timediff|instr|replace|group_concat|string_agg)\(/

const calling = new Set(['Function', 'PureFunc', 'AggStep', 'AggStep1', 'AggInverse'])

/** Functions of which a call takes as long as several others. */
const slow = /^(?:[lr]?trim|like|glob)\(|^json|^->/

/** How much longer a row takes for one call more. */
const callWork = 1 / 4
const slowWork = 1

/** Instructions that a program has for its loops and its result, and how much longer a row takes for one beyond them. */
const usualInstructions = 200
const instructionWork = 1 / 64

/** Names with their brackets of the functions that a program calls and that do not look at the clock, once for each call. */
const callsOf = (opcodes: readonly Opcode[]): readonly string[] =>
  opcodes.flatMap(({ opcode, p4 }) => (calling.has(opcode) && p4 !== null && !clocked.test(p4) ? [p4] : []))

/**
 * How long a row may take that no view counts, in rows of which nothing is calculated. The program tells it and not the
 * text: views and nested queries, which SQLite writes into each other, repeat what is written once.
 *
 * @param opcodes - of the program, without the calls that count rows.
 */
export function rowWork(opcodes: readonly Opcode[]): number {
  const called = callsOf(opcodes).reduce((sum, name) => sum + (slow.test(name) ? slowWork : callWork), 0)
  return 1 + called + Math.max(0, opcodes.length - usualInstructions) * instructionWork
}

/** Instructions that copy or compare texts, and those that read the number in one. */
const copying =
  /^(?:Column|Copy|SCopy|MakeRecord|Compare|Eq|Ne|Lt|Le|Gt|Ge|Found|NotFound|NoConflict|Seek.*|Idx.*|Sorter.*)$/
const reading = /^(?:Add|Subtract|Multiply|Divide|Remainder|Cast|Bit.*|Shift.*)$/

/** Functions that write a text anew. */
const rewriting = /^(?:upper|lower|hex|unhex|quote|soundex|unistr|unistr_quote|concat|concat_ws)\(/

/** Nanoseconds that each takes for a character that it goes through. Source: measured, with texts of 200,000 characters. */
const times = { copying: 1 / 64, joining: 1 / 4, reading: 2, rewriting: 4, trimming: 90, other: 1 / 2 } as const

/** What searches take for a character, in nanoseconds. */
export interface SearchTimes {
  /** For LIKE or GLOB. */
  readonly pattern: number
  /** For a function of JSON values. */
  readonly json: number
}

function callTime(name: string, { pattern, json }: SearchTimes): number {
  if (/^(?:like|glob)\(/.test(name)) return pattern
  if (/^json|^->/.test(name)) return json
  if (/^[lr]?trim\(2\)/.test(name)) return times.trimming
  return rewriting.test(name) ? times.rewriting : times.other
}

function instructionTime({ opcode, p4 }: Opcode): number {
  if (opcode === 'Concat') return times.joining
  if (copying.test(opcode)) return p4?.includes('NOCASE') === true ? times.reading : times.copying
  return reading.test(opcode) ? times.reading : 0
}

/** Nanoseconds that a program may take for each character of the texts of one row, between two looks at the clock. */
export function characterTime(opcodes: readonly Opcode[], searches: SearchTimes): number {
  const instructions = opcodes.reduce((sum, opcode) => sum + instructionTime(opcode), 0)
  return callsOf(opcodes).reduce((sum, name) => sum + callTime(name, searches), instructions)
}

/** What views may look for that the query's own text does not tell. */
const usualPattern = 4
const usualPaths = 2

/** Characters that are compared with each of a text while GLOB looks for one of a set. */
const inSets = (pattern: string): number => (pattern.includes('[') ? pattern.length : 0)

/** Arguments of the call whose bracket stands at a place. */
function argumentsAt(tokens: readonly SqlToken[], bracket: number): number {
  let [count, depth] = [1, 0]
  for (let at = bracket; at < tokens.length; at++) {
    if (isSymbol(tokens[at], '(')) depth++
    else if (isSymbol(tokens[at], ')') && --depth === 0) return count
    else if (depth === 1 && isSymbol(tokens[at], ',')) count++
  }
  return count
}

/** How long the searches that a query writes take at worst. */
export function searchTimes(tokens: readonly SqlToken[]): SearchTimes {
  const patterns = writtenSearches(tokens).flatMap(({ by, role, operand }) => {
    if (role !== 'pattern') return []
    const text = literalText(operand)
    return [selfOverlap(text) + (/glob/i.test(by) ? inSets(text) : 0)]
  })
  const paths = tokens.flatMap(({ keyword }, index) =>
    keyword.startsWith('JSON') && isSymbol(tokens[index + 1], '(') ? [argumentsAt(tokens, index + 1)] : [],
  )
  return {
    pattern: 3 * patterns.reduce((most, one) => Math.max(most, one), usualPattern),
    json: 4 + 8 * paths.reduce((most, one) => Math.max(most, one), usualPaths),
  }
}
