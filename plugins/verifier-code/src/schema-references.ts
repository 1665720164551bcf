import type { ColumnReference } from './stored-checks.ts'

interface Token {
  readonly text: string
  /** Whether it was quoted, and so can only be a name. */
  readonly quoted: boolean
}

const tokenPattern =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"((?:[^"]|"")*)"|`((?:[^`]|``)*)`|\[([^\]]*)\]|([A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)|([(),;.])/g

/** Words, names and brackets of SQL text; literals, numbers and comments are passed over. */
function tokensOf(sql: string): readonly Token[] {
  const tokens: Token[] = []
  for (const [, double, back, bracket, word, mark] of sql.matchAll(tokenPattern)) {
    if (double !== undefined) tokens.push({ text: double.replaceAll('""', '"'), quoted: true })
    else if (back !== undefined) tokens.push({ text: back.replaceAll('``', '`'), quoted: true })
    else if (bracket !== undefined) tokens.push({ text: bracket, quoted: true })
    else if (word !== undefined || mark !== undefined) tokens.push({ text: word ?? mark ?? '', quoted: false })
  }
  return tokens
}

/** The single-column foreign keys that a schema declares. */
export function schemaReferences(schema: string): readonly ColumnReference[] {
  return new SchemaReader(tokensOf(schema)).references()
}

class SchemaReader {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  references(): readonly ColumnReference[] {
    const found: ColumnReference[] = []
    while (this.#at < this.#tokens.length) {
      if (this.#is('CREATE') && this.#skipTo('TABLE')) found.push(...this.#table())
      else this.#at++
    }
    return found
  }

  #is(keyword: string, ahead = 0): boolean {
    const token = this.#tokens[this.#at + ahead]
    return token !== undefined && !token.quoted && token.text.toUpperCase() === keyword
  }

  /** Moves behind `TABLE` when it follows within `CREATE [TEMP] TABLE`. */
  #skipTo(keyword: string): boolean {
    for (const ahead of [1, 2]) {
      if (!this.#is(keyword, ahead)) continue
      this.#at += ahead + 1
      return true
    }
    return false
  }

  #name(): string {
    return this.#tokens[this.#at++]?.text ?? ''
  }

  #table(): readonly ColumnReference[] {
    while (this.#is('IF') || this.#is('NOT') || this.#is('EXISTS')) this.#at++
    let table = this.#name()
    if (this.#is('.')) {
      this.#at++
      table = this.#name()
    }
    if (!this.#is('(')) return []
    this.#at++
    const found: ColumnReference[] = []
    while (this.#at < this.#tokens.length && !this.#is(')')) {
      found.push(...this.#definition(table))
      if (this.#is(',')) this.#at++
    }
    return found
  }

  /** One column or table constraint, up to its comma or the closing bracket. */
  #definition(table: string): readonly ColumnReference[] {
    let columns: readonly string[] = this.#tokens[this.#at]?.quoted || !this.#isConstraint() ? [this.#name()] : []
    const found: ColumnReference[] = []
    while (this.#at < this.#tokens.length && !this.#is(',') && !this.#is(')')) {
      if (this.#is('FOREIGN')) {
        this.#at += 2
        columns = this.#list()
      } else if (this.#is('REFERENCES')) {
        this.#at++
        found.push(...this.#referenceOf(table, columns))
      } else if (this.#is('(')) this.#list()
      else this.#at++
    }
    return found
  }

  #isConstraint(): boolean {
    return ['CONSTRAINT', 'PRIMARY', 'UNIQUE', 'CHECK', 'FOREIGN'].some((word) => this.#is(word))
  }

  #referenceOf(table: string, columns: readonly string[]): readonly ColumnReference[] {
    const target = this.#name()
    const targets = this.#is('(') ? this.#list() : []
    const [column] = columns
    if (columns.length !== 1 || column === undefined || targets.length > 1) return []
    // without a column list the key of the target is meant; its name is the rows' own business
    return [{ table, column, target, targetColumn: targets[0] ?? '' }]
  }

  /** The names in a bracket, nested brackets left out. */
  #list(): readonly string[] {
    const names: string[] = []
    let depth = 0
    do {
      if (this.#is('(')) depth++
      else if (this.#is(')')) depth--
      else if (depth === 1 && !this.#is(',')) names.push(this.#tokens[this.#at]?.text ?? '')
      this.#at++
    } while (depth > 0 && this.#at < this.#tokens.length)
    return names
  }
}
