import { foldName, isSymbol, type SqlToken } from '../sqlite/sql-text.ts'

/** Functions that join the texts of one row, each argument of which may be as long as any text. */
const joining = new Set('CONCAT CONCAT_WS JSON_ARRAY JSON_OBJECT JSON_SET JSON_INSERT JSON_REPLACE'.split(' '))

/** How much longer a function may make a text. Source: JSON writes a control character as six, SQL a quote as two. */
const lengthening: Readonly<Record<string, number>> = {
  HEX: 2,
  QUOTE: 3,
  UNISTR_QUOTE: 6,
  JSON: 2,
  JSON_EXTRACT: 2,
  JSON_REMOVE: 2,
  JSON_QUOTE: 6,
  JSON_ARRAY: 6,
  JSON_OBJECT: 6,
  JSON_SET: 6,
  JSON_INSERT: 6,
  JSON_REPLACE: 6,
}

const queryStarts = new Set(['SELECT', 'WITH', 'VALUES'])
/** Words after which another expression begins. */
const itemStarts = new Set(
  'SELECT FROM WHERE GROUP HAVING ORDER LIMIT WINDOW ON UNION EXCEPT INTERSECT RETURNING'.split(' '),
)

/** One SELECT with those in its parentheses, any of which may make its texts of what another has made. */
class Level {
  readonly inner: Level[] = []
  /** The most copies of any view that it reads. */
  views = 1
  /** Of the columns that it selects, and of its other expressions, which may build on those. */
  readonly #most = { selected: 1, other: 1 }
  #part: 'selected' | 'other' = 'selected'
  #joined = 1
  #factor = 1

  join(): void {
    this.#joined++
  }

  lengthen(factor: number): void {
    this.#factor *= factor
  }

  nextItem(keyword: string): void {
    this.#most[this.#part] = Math.max(this.#most[this.#part], this.#joined * this.#factor)
    if (keyword !== '') this.#part = keyword === 'SELECT' ? 'selected' : 'other'
    this.#joined = 1
    this.#factor = 1
  }

  copies(): number {
    this.nextItem('')
    const own = this.#most.selected * this.#most.other * this.views
    return this.inner.reduce((product, level) => product * level.copies(), own)
  }
}

interface Bracket {
  readonly level: Level
  /** Whether it holds a query, so that its commas stand between columns or tables. */
  readonly opens: boolean
  /** Whether it holds what a function joins. */
  readonly joins: boolean
}

/** Whether `||` stands at a place and joins more than a literal, whose length is known as it is written. */
function joinsText(tokens: readonly SqlToken[], index: number): boolean {
  const [first, second, operand] = [tokens[index], tokens[index + 1], tokens[index + 2]]
  if (!isSymbol(first, '|') || !isSymbol(second, '|') || second?.start !== first?.end) return false
  return operand?.kind !== 'string'
}

function opened(tokens: readonly SqlToken[], index: number, level: Level): Bracket {
  if (queryStarts.has(tokens[index + 1]?.keyword ?? '')) {
    const inner = new Level()
    level.inner.push(inner)
    return { level: inner, opens: true, joins: false }
  }
  const called = tokens[index - 1]?.keyword ?? ''
  level.lengthen(lengthening[called] ?? 1)
  return { level, opens: false, joins: joining.has(called) }
}

/** What the token at a place, which is no bracket, does for the texts of its query. */
function note({ level, opens, joins }: Bracket, tokens: readonly SqlToken[], index: number): void {
  const token = tokens[index] as SqlToken
  if ((joins && isSymbol(token, ',')) || joinsText(tokens, index)) level.join()
  else if (opens && (isSymbol(token, ',') || itemStarts.has(token.keyword))) level.nextItem(token.keyword)
  else if (isSymbol(token, '>') && isSymbol(tokens[index - 1], '-')) level.lengthen(2)
}

/**
 * How many times as long as the longest text that it starts from a text of a query may become, by joining and by
 * functions whose results are longer than their arguments. What the query writes itself counts as such a text.
 *
 * @param views - the same of the views that it may read, by folded name.
 */
export function textCopies(tokens: readonly SqlToken[], views: ReadonlyMap<string, number>): number {
  const root = new Level()
  const open: Bracket[] = [{ level: root, opens: true, joins: false }]
  tokens.forEach((token, index) => {
    const bracket = open.at(-1) as Bracket
    if (isSymbol(token, '(')) open.push(opened(tokens, index, bracket.level))
    else if (isSymbol(token, ')') && open.length > 1) open.pop()
    else note(bracket, tokens, index)
    bracket.level.views = Math.max(bracket.level.views, views.get(foldName(token.text)) ?? 1)
  })
  return root.copies()
}

const isLiteral = ({ kind, text }: SqlToken): boolean => kind === 'string' || (kind === 'symbol' && /^[\d.]/.test(text))

/** Characters of all texts and numbers that are written out. */
export const writtenCharacters = (tokens: readonly SqlToken[]): number =>
  tokens.reduce((sum, token) => sum + (isLiteral(token) ? token.text.length : 0), 0)
