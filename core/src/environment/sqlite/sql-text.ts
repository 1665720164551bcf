/** One token of SQL text. Comments and white space are no tokens. */
export interface SqlToken {
  readonly kind: 'word' | 'quoted' | 'string' | 'parameter' | 'symbol'
  /** As written; for `quoted` the name without its quotes, for `parameter` the name without `@`. */
  readonly text: string
  /** `text` of a word in upper case, otherwise "". */
  readonly keyword: string
  readonly start: number
  readonly end: number
}

const skipped = /(?:\s|\uFEFF)+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y
const lexeme =
  /(?<string>[xX]?'[^']*(?:''[^']*)*'?)|(?<quoted>"[^"]*(?:""[^"]*)*"?|`[^`]*(?:``[^`]*)*`?|\[[^\]]*\]?)|(?<parameter>[@:$][A-Za-z0-9_$\u0080-\uFFFF]+|\?\d*)|(?<word>[A-Za-z_\u0080-\uFFFF][\w$\u0080-\uFFFF]*)|\d[\w.]*|\.\d\w*|[\s\S]/y

function unquoted(text: string): string {
  const close = text[0] === '[' ? ']' : text[0]
  const inner = text.slice(1, text.length > 1 && text.endsWith(close as string) ? -1 : undefined)
  return text[0] === '[' ? inner : inner.replaceAll(`${close}${close}`, close as string)
}

function tokenOf(match: RegExpExecArray): SqlToken {
  const text = match[0]
  const at = { start: match.index, end: match.index + text.length }
  const groups = match.groups
  if (groups?.word !== undefined) return { kind: 'word', text, keyword: text.toUpperCase(), ...at }
  if (groups?.string !== undefined) return { kind: 'string', text, keyword: '', ...at }
  if (groups?.quoted !== undefined) return { kind: 'quoted', text: unquoted(text), keyword: '', ...at }
  if (groups?.parameter !== undefined) return { kind: 'parameter', text: text.slice(1), keyword: '', ...at }
  return { kind: 'symbol', text, keyword: '', ...at }
}

/** Splits SQL text into tokens, as SQLite does; anything unfinished runs to the end of the text. */
export function sqlTokens(sql: string): readonly SqlToken[] {
  const tokens: SqlToken[] = []
  let position = 0
  while (position < sql.length) {
    skipped.lastIndex = position
    if (skipped.test(sql)) {
      position = skipped.lastIndex
      continue
    }
    lexeme.lastIndex = position
    const match = lexeme.exec(sql)
    if (match === null) break
    tokens.push(tokenOf(match))
    position = lexeme.lastIndex
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

/** A name quoted for use in SQL. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
