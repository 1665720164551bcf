import { stemHash } from './stem.ts'
import type { Token } from './tokens.ts'

const joiners = new Set(['then', 'also', 'afterwards', 'next', 'finally', 'plus'])
const followers = new Set(['the', 'a', 'an', 'off', 'up', 'out', 'in', 'over', 'down', 'back', 'on', 'away'])
const questionWords = new Set(['what', 'which', 'who', 'whom', 'whose', 'when', 'where', 'how'])
const negations = new Set(['not', "don't", 'nothing', 'never', 'without'].map(stemHash))

/** One thing that the text says: a stretch of its tokens. */
export interface Clause {
  /** First and one past the last token. */
  readonly from: number
  readonly to: number
  readonly question: boolean
  readonly negated: boolean
}

/**
 * Cuts a text at sentence ends, at "and then", "also" and the like, and at a plain "and" before a word that opens the
 * name or description of some tool (`verbs`, by stem).
 *
 * @param spanOf - shape [tokens]: index of the span a token lies in, or −1; nothing is cut inside a span.
 */
export function splitClauses(tokens: readonly Token[], spanOf: Int32Array, verbs: ReadonlySet<number>): Clause[] {
  const clauses: Clause[] = []
  let from = 0
  for (let i = 0; i < tokens.length; i++) {
    const cut = cutAfter(tokens, spanOf, i, verbs)
    if (cut === null) continue
    if (cut.end > from) clauses.push(clauseOf(tokens, from, cut.end))
    from = cut.next
  }
  if (from < tokens.length) clauses.push(clauseOf(tokens, from, tokens.length))
  return clauses
}

/** Where a clause ends and the next begins, when there is a border at token `i`. */
function cutAfter(
  tokens: readonly Token[],
  spanOf: Int32Array,
  i: number,
  verbs: ReadonlySet<number>,
): { end: number; next: number } | null {
  const token = tokens[i] as Token
  if ((spanOf[i] as number) >= 0) return null
  if (/^[.!?;]$/.test(token.lower)) return { end: i + 1, next: i + 1 }
  if (joiners.has(token.lower) && i > 0) return { end: i, next: i + 1 }
  if (token.lower !== 'and' || i === 0) return null
  return opensGoal(tokens, spanOf, i + 1, verbs) ? { end: i, next: i + 1 } : null
}

/** Whether a word after "and" looks like a verb: tools open with it, or an article, particle or owner follows it. */
function opensGoal(tokens: readonly Token[], spanOf: Int32Array, at: number, verbs: ReadonlySet<number>): boolean {
  const word = tokens[at]
  if (word === undefined || !word.content || (spanOf[at] as number) >= 0) return false
  if (verbs.has(word.stem)) return true
  if (followers.has(tokens[at + 1]?.lower ?? '')) return true
  return /^\d/.test(tokens[at + 1]?.lower ?? '') ? goesOn(tokens[at + 2]) : isOwner(tokens, spanOf, at + 1)
}

/** A number that is followed by words is no value at the end of a list: "and move 13 of …", "and total 13". */
function goesOn(token: Token | undefined): boolean {
  return token?.word === true && token.lower !== 'and' && !joiners.has(token.lower)
}

/** A name with a possessive: "and hide Ann Lee's review". */
function isOwner(tokens: readonly Token[], spanOf: Int32Array, at: number): boolean {
  const span = spanOf[at] ?? -1
  if (span < 0) return false
  let next = at
  while (spanOf[next] === span) next++
  return /^['’]s?$/.test(tokens[next]?.lower ?? '')
}

function clauseOf(tokens: readonly Token[], from: number, to: number): Clause {
  const inside = tokens.slice(from, to)
  return {
    from,
    to,
    question: inside.some((token) => token.lower === '?' || questionWords.has(token.lower)) || isRequestToTell(inside),
    negated: inside.some((token) => negations.has(token.stem)),
  }
}

/** "Tell me …", "let me know …", "I need to know …", "find out …". */
function isRequestToTell(tokens: readonly Token[]): boolean {
  const text = tokens.map((token) => token.lower).join(' ')
  return /\b(tell me|tell us|let (me|us) know|(need|want|like) to know|find out)\b/.test(text)
}
