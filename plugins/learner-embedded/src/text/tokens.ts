import { stemHash } from './stem.ts'
import { stopStems } from './stop-words.ts'

/** One word, number or mark of a text. */
export interface Token {
  readonly lower: string
  readonly stem: number
  readonly start: number
  readonly end: number
  /** A word that says something: no stop word, no mark. */
  readonly content: boolean
  readonly word: boolean
}

const finder = /['’]s(?!\p{L})|[\p{L}\p{M}]+(?:['’](?!s(?!\p{L}))\p{L}+)?|\d+(?:[.,:-]\d+)*|[^\s\p{L}\d]/gu

/** Words, numbers and marks of a text, in order. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  for (const match of text.matchAll(finder)) {
    const lower = match[0].toLowerCase()
    const word = /^\p{L}/u.test(lower)
    const stem = stemHash(lower)
    const end = match.index + match[0].length
    tokens.push({ lower, stem, start: match.index, end, content: word && !stopStems.has(stem), word })
  }
  return tokens
}
