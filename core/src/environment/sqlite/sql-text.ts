/** One token of SQL text. Comments and white space are no tokens. */
export interface SqlToken {
  readonly kind: 'word' | 'quoted' | 'string' | 'parameter' | 'symbol'
  /** As written; for `quoted` the name without its quotes, for `parameter` the name without `@`. */
  readonly text: string
  /** `text` of a word with its ASCII letters in upper case, otherwise "". */
  readonly keyword: string
  readonly start: number
  readonly end: number
}

/** Whether a token is one of punctuation, written so. */
export const isSymbol = (token: SqlToken | undefined, text: string): boolean =>
  token?.kind === 'symbol' && token.text === text

const skipped = /[\t-\r \uFEFF]+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y
const string = /[xX]?'[^']*(?:''[^']*)*'?/y
const quoted = /"[^"]*(?:""[^"]*)*"?|`[^`]*(?:``[^`]*)*`?|\[[^\]]*\]?/y
const parameter = /[@:$][A-Za-z0-9_$\u0080-\uFFFF]+|\?\d*/y
const word = /[A-Za-z_\u0080-\uFFFF][\w$\u0080-\uFFFF]*/y
const number = /\d[\w.]*|\.\d\w*/y

/** What may begin at a character below U+0080; from there on, white space or a word. */
type Start = 'skipped' | 'string' | 'quoted' | 'parameter' | 'word' | 'hex' | 'number' | 'symbol'

function startOf(character: string): Start {
  if (/[\s\-/]/.test(character)) return 'skipped'
  if (character === "'") return 'string'
  if (/["`[]/.test(character)) return 'quoted'
  if (/[@:$?]/.test(character)) return 'parameter'
  if (/[xX]/.test(character)) return 'hex'
  if (/[A-Za-z_]/.test(character)) return 'word'
  return /[\d.]/.test(character) ? 'number' : 'symbol'
}

const starts: readonly Start[] = Array.from({ length: 0x80 }, (_, code) => startOf(String.fromCharCode(code)))

/** Where a match that begins at `position` ends; -1 without one. */
function endOf(lexeme: RegExp, sql: string, position: number): number {
  lexeme.lastIndex = position
  return lexeme.test(sql) ? lexeme.lastIndex : -1
}

function unquoted(text: string): string {
  const close = text[0] === '[' ? ']' : text[0]
  const inner = text.slice(1, text.length > 1 && text.endsWith(close as string) ? -1 : undefined)
  return text[0] === '[' ? inner : inner.replaceAll(`${close}${close}`, close as string)
}

const beyondAscii = /[^\0-\x7f]/

/** Other letters have no upper case in SQLite: `ſelect` is a name. */
const upperCase = (text: string): string =>
  beyondAscii.test(text) ? text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()) : text.toUpperCase()

function wordAt(sql: string, start: number): SqlToken {
  const end = endOf(word, sql, start)
  const text = sql.slice(start, end)
  return { kind: 'word', text, keyword: upperCase(text), start, end }
}

/** The token at a position at which neither white space nor a comment begins. */
function tokenAt(sql: string, start: number, begins: Start): SqlToken {
  if (begins === 'word') return wordAt(sql, start)
  if (begins === 'string' || begins === 'hex') {
    const end = endOf(string, sql, start)
    return end < 0 ? wordAt(sql, start) : { kind: 'string', text: sql.slice(start, end), keyword: '', start, end }
  }
  if (begins === 'quoted') {
    const end = endOf(quoted, sql, start)
    return { kind: 'quoted', text: unquoted(sql.slice(start, end)), keyword: '', start, end }
  }
  if (begins === 'parameter') {
    const end = endOf(parameter, sql, start)
    if (end > 0) return { kind: 'parameter', text: sql.slice(start + 1, end), keyword: '', start, end }
  }
  const end = begins === 'number' ? Math.max(endOf(number, sql, start), start + 1) : start + 1
  return { kind: 'symbol', text: sql.slice(start, end), keyword: '', start, end }
}

/** Splits SQL text into tokens, as SQLite does; anything unfinished runs to the end of the text. */
export function sqlTokens(sql: string): readonly SqlToken[] {
  const tokens: SqlToken[] = []
  let position = 0
  while (position < sql.length) {
    const code = sql.charCodeAt(position)
    const begins = starts[code] ?? 'word'
    if (begins === 'skipped' || code >= 0x80) {
      const end = endOf(skipped, sql, position)
      if (end > 0) {
        position = end
        continue
      }
    }
    const token = tokenAt(sql, position, begins)
    tokens.push(token)
    position = token.end
  }
  return tokens
}

/** One statement of a longer text, without its semicolon. */
export interface SqlStatement {
  readonly sql: string
  readonly tokens: readonly SqlToken[]
  /** 1-based. */
  readonly ordinal: number
}

const isSemicolon = (token: SqlToken | undefined): boolean => token?.kind === 'symbol' && token.text === ';'

function startsTrigger(tokens: readonly SqlToken[]): boolean {
  if (tokens[0]?.keyword !== 'CREATE') return false
  return (
    tokens[1]?.keyword === 'TRIGGER' || (/^TEMP/.test(tokens[1]?.keyword ?? '') && tokens[2]?.keyword === 'TRIGGER')
  )
}

/** A trigger's own semicolons sit between BEGIN and the `; END` that closes it. */
function endsStatement(tokens: readonly SqlToken[]): boolean {
  if (!startsTrigger(tokens)) return true
  const last = tokens.length - 1
  return tokens[last]?.keyword === 'END' && isSemicolon(tokens[last - 1])
}

/** Splits text at the semicolons that end a statement; strings, comments, quoted names and triggers stay whole. */
export function splitStatements(sql: string): readonly SqlStatement[] {
  const statements: SqlStatement[] = []
  let pending: SqlToken[] = []
  const close = () => {
    const [first] = pending
    const last = pending.at(-1)
    if (first === undefined || last === undefined) return
    statements.push({ sql: sql.slice(first.start, last.end), tokens: pending, ordinal: statements.length + 1 })
    pending = []
  }
  for (const token of sqlTokens(sql)) {
    if (isSemicolon(token) && endsStatement(pending)) close()
    else pending.push(token)
  }
  close()
  return statements
}

/** The text as one line of at most `length` characters, for messages. */
export function sqlExcerpt(sql: string, length = 80): string {
  const line = sql.replaceAll(/\s+/g, ' ').trim()
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`
}

/** A name as SQLite compares names: in lower case, but only letters of ASCII have one. */
export function foldName(name: string): string {
  if (!beyondAscii.test(name)) return name.toLowerCase()
  return name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** What a name is told by in the lines of a plan, which quote none: what stands before its first space, folded. */
export const planWord = (name: string): string => foldName(name).split(' ', 1)[0] ?? ''

/** A name quoted for use in SQL. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
