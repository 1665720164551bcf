import { isSymbol, type SqlToken } from './sql-text.ts'

/**
 * What is searched for. `pattern`: of LIKE or GLOB; `needle`: a text as it stands, of instr() and replace(); `query`: of a
 * full-text MATCH; `characters`: those that trim() takes away.
 */
export type SearchRole = 'pattern' | 'needle' | 'query' | 'characters'

/** A search as a statement writes it. */
export interface WrittenSearch {
  /** How it is written, for messages. */
  readonly by: string
  readonly role: SearchRole
  /** The expression that is searched for. */
  readonly operand: readonly SqlToken[]
}

/** Operators that search for what stands behind them; called as functions, for any of their arguments. */
const operators: ReadonlyMap<string, SearchRole> = new Map([
  ['LIKE', 'pattern'],
  ['GLOB', 'pattern'],
  ['MATCH', 'query'],
])

/** Functions whose second argument is searched for in the first. */
const functions: ReadonlyMap<string, SearchRole> = new Map([
  ['INSTR', 'needle'],
  ['REPLACE', 'needle'],
  ['TRIM', 'characters'],
  ['LTRIM', 'characters'],
  ['RTRIM', 'characters'],
])

const operandEnds = new Set(
  `AND OR WHEN THEN ELSE END FROM WHERE GROUP HAVING ORDER LIMIT UNION EXCEPT INTERSECT RETURNING ON`.split(' '),
)

/** Words behind which an expression begins, so that END, which may name a column, does not close a CASE there. */
export const beforeExpression: ReadonlySet<string> = new Set(
  `ALL AND BETWEEN BY CASE DISTINCT ELSE ESCAPE GLOB HAVING IN IS LIKE LIMIT MATCH NOT OFFSET ON OR RETURNING SELECT SET
   THEN WHEN WHERE`.split(/\s+/),
)

const isOperator = ({ kind, text }: SqlToken): boolean => kind === 'symbol' && text !== ')' && !/^[.]?\d/.test(text)

/** Whether the END at a place closes a CASE or a trigger, and is no column of that name. */
function closes(tokens: readonly SqlToken[], at: number): boolean {
  const before = tokens[at - 1]
  return before !== undefined && !isOperator(before) && !beforeExpression.has(before.keyword)
}

/** What stands from a place on to the end of the expression there: brackets and CASE … END stay whole. */
export function operandAt(tokens: readonly SqlToken[], start: number): readonly SqlToken[] {
  let depth = 0
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at] as SqlToken
    const named = token.keyword === 'END' && !closes(tokens, at)
    const ends = operandEnds.has(token.keyword) || isSymbol(token, ',') || isSymbol(token, ')')
    if (depth === 0 && ends && !named) return tokens.slice(start, at)
    if (isSymbol(token, '(') || token.keyword === 'CASE') depth++
    else if (isSymbol(token, ')') || (token.keyword === 'END' && !named)) depth--
  }
  return tokens.slice(start)
}

/** Where the second argument of a call begins whose bracket stands at a place; undefined when it has but one. */
function secondArgument(tokens: readonly SqlToken[], bracket: number): number | undefined {
  const comma = bracket + 1 + operandAt(tokens, bracket + 1).length
  return isSymbol(tokens[comma], ',') ? comma + 1 : undefined
}

function searchAt(tokens: readonly SqlToken[], index: number): WrittenSearch | null {
  const { keyword, text } = tokens[index] as SqlToken
  const operator = operators.get(keyword)
  if (operator !== undefined) return { by: text, role: operator, operand: operandAt(tokens, index + 1) }
  const called = functions.get(keyword)
  if (called === undefined || !isSymbol(tokens[index + 1], '(')) return null
  const start = secondArgument(tokens, index + 1)
  return start === undefined ? null : { by: `${text}()`, role: called, operand: operandAt(tokens, start) }
}

/** Every search that a statement writes, in its order. */
export function writtenSearches(tokens: readonly SqlToken[]): readonly WrittenSearch[] {
  return tokens.flatMap((_, index) => searchAt(tokens, index) ?? [])
}

/** The literal texts of an expression, one after the other. */
export const literalText = (operand: readonly SqlToken[]): string =>
  operand.map((token) => (token.kind === 'string' ? token.text.slice(1, -1) : '')).join('')
