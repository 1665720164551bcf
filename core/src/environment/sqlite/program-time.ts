import { mostRowVisits } from './admitted-sql.ts'
import { squaring } from './function-work.ts'
import type { Opcode } from './opcodes.ts'
import { calledName, ProgramTexts, type TextFacts } from './program-texts.ts'

/** What a statement's program comes to. */
interface ProgramTime {
  /** Nanoseconds for each row that it visits, beyond those of a visit. */
  readonly row: number
  /** Nanoseconds before its first row. */
  readonly once: number
  /** Functions that it calls. */
  readonly calls: number
  /** How many times more rows it may visit because its lists are longer than they are taken to be. */
  readonly unpacking: number
  /** Length of the longest text that it handles, in characters. */
  readonly longest: number
}

/** The longest that a statement may take, in nanoseconds. */
const longestTime = 1_000_000_000

/** Instructions that a program has for its loops and its result, and how long a row takes for each beyond them. */
const usualInstructions = 200
const instructionTime = 12

/** Below so many row visits no text that a database holds makes a statement take long. */
const fewVisits = 16

const calling = new Set(['Function', 'PureFunc', 'AggStep', 'AggStep1'])

/** The program of the statement, and those of the triggers that it runs: each begins at address 0. */
function programsOf(opcodes: readonly Opcode[]): Opcode[][] {
  const programs: Opcode[][] = []
  for (const opcode of opcodes) {
    if (opcode.addr === 0) programs.push([])
    programs.at(-1)?.push(opcode)
  }
  return programs
}

/** Instructions that run but once, for they calculate what is the same for every row, and all others. */
function partsOf(program: readonly Opcode[]): { readonly first: readonly Opcode[]; readonly loops: readonly Opcode[] } {
  const [init] = program
  const start = init?.opcode === 'Init' && init.p2 > 0 ? init.p2 : program.length
  return { first: program.slice(start), loops: program.slice(0, start) }
}

function timeOf(program: readonly Opcode[], facts: TextFacts): ProgramTime {
  const texts = new ProgramTexts(facts)
  const { first, loops } = partsOf(program)
  const through = (part: readonly Opcode[]): number => part.reduce((time, opcode) => time + texts.step(opcode), 0)
  // A loop may read what stands behind it, so that lengths are known only when all of it was gone through before.
  through(first)
  through(loops)
  const instructions = Math.max(0, loops.length - usualInstructions) * instructionTime
  const calls = loops.filter(({ opcode }) => calling.has(opcode)).length
  const [once, row] = [through(first), through(loops) + instructions]
  return { once, row, calls, longest: texts.longest, unpacking: texts.unpacking }
}

/** Why a statement takes too long for what it does with each row that it visits; null when it does not. */
export function timeFault(opcodes: readonly Opcode[], facts: TextFacts): string | null {
  if (facts.visits < fewVisits && !opcodes.some(({ p4 }) => squaring.has(calledName(p4)))) return null
  const times = programsOf(opcodes).map((program) => timeOf(program, facts))
  const unpacking = facts.unpacks ? Math.max(...times.map((time) => time.unpacking)) : 1
  const visits = facts.visits * unpacking
  if (unpacking > 1 && visits > mostRowVisits)
    return `may visit ${visits.toExponential(1)} rows because of the lists that it unpacks, at most ${mostRowVisits} are allowed; join on keys`
  const total = times.reduce((sum, { row, once }) => sum + row * visits + once, 0)
  if (total <= longestTime) return null
  const calls = times.reduce((sum, time) => sum + time.calls, 0)
  const longest = Math.max(...times.map((time) => time.longest))
  return `may call its ${calls} functions for each of ${visits.toExponential(1)} rows, with texts of up to ${longest} characters; join on keys, call fewer, or look for shorter texts`
}
