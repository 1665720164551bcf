import type { Opcode } from '../sqlite/opcodes.ts'

/** Functions that take as long as several others: they parse or search what they are given. */
const slow =
  /^(?:(?:date|time|datetime|julianday|unixepoch|strftime|timediff|instr|[lr]?trim|replace|like|glob)\(|json|->)/

const calling = new Set(['Function', 'PureFunc', 'AggStep', 'AggStep1', 'AggInverse'])

/** How much longer a row takes for one call more. */
const callWork = 1 / 4
const slowWork = 1

/** Instructions that a program has for its loops and its result, and how much longer a row takes for one beyond them. */
const usualInstructions = 200
const instructionWork = 1 / 64

/**
 * How long a row may take that no view counts, in rows of which nothing is calculated. The program tells it and not the
 * text: views and nested queries, which SQLite writes into each other, repeat what is written once.
 *
 * @param opcodes - of the program, without the calls that count rows.
 */
export function rowWork(opcodes: readonly Opcode[]): number {
  const calls = opcodes.filter(({ opcode }) => calling.has(opcode))
  const called = calls.reduce((sum, { p4 }) => sum + (slow.test(p4 ?? '') ? slowWork : callWork), 0)
  return 1 + called + Math.max(0, opcodes.length - usualInstructions) * instructionWork
}

/** Functions that go through a text of any length, or make one; instr() may go through it as often as it has places. */
const searching = /^(instr|[lr]?trim|replace|like|glob|soundex|json_(?:set|insert|replace|remove|patch|pretty))\(/

/** How many of those a program may call. More than a text may write, because a program may repeat it. */
const mostSearches = 32
const mostInstr = 16

/** Why a program's calls may take too long on a single row, when no look at the clock comes between them. */
export function searchCallFaults(opcodes: readonly Opcode[]): string[] {
  const called = opcodes.flatMap(({ opcode, p4 }) => (calling.has(opcode) ? (searching.exec(p4 ?? '')?.[1] ?? []) : []))
  const placed = called.filter((name) => name === 'instr').length
  if (called.length <= mostSearches && placed <= mostInstr) return []
  return [
    `calls functions that search or make texts ${called.length} times once its subqueries and views are written out (${[...new Set(called)].join(', ')}), at most ${mostSearches} are allowed, of instr() ${mostInstr}; calculate a text once, in a WITH … AS MATERIALIZED`,
  ]
}
