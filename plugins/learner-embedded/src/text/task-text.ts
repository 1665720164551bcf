import { type Clause, splitClauses } from './clauses.ts'
import { findSpans, spanKinds, type TextSpan, textSpan } from './spans.ts'
import { stemHash } from './stem.ts'
import { type Token, tokenize } from './tokens.ts'

/** How a word stands beside names in the text. */
export const wordRoles = { plain: 0, opening: 1, beforeName: 2, afterPossessive: 3, beforeOf: 4 } as const

/** A span and the words around it. Stems are 0 where there is no word. */
export interface PlacedSpan extends TextSpan {
  readonly index: number
  /** Position of its kind in {@link spanKinds}. */
  readonly kindIndex: number
  readonly goal: number
  /** Stem of the word right before it. */
  readonly before: number
  /** Stems of the up to three words before it, nearest first. */
  readonly leading: readonly number[]
  /** Nearest content word before it in the same clause. */
  readonly noun: number
  /** Stem of the word after it; after a possessive, what is possessed. */
  readonly after: number
  readonly possessive: boolean
  /** Stems of its own first and last words. */
  readonly first: number
  readonly last: number
  /** Names a thing, by label or code, rather than giving a value. */
  readonly label: boolean
}

/** A content word outside spans. */
export interface GoalWord {
  readonly stem: number
  readonly role: number
}

/** One thing the user wants: a clause that is more than a greeting. */
export interface Goal {
  readonly question: boolean
  /** Content words outside spans, each once. */
  readonly words: readonly GoalWord[]
  readonly stems: ReadonlySet<number>
  /** Indices of its spans. */
  readonly spans: readonly number[]
  /** Every run of one to four words, lower case: what a cell is looked up in. */
  readonly grams: ReadonlySet<string>
}

/** The user's text, taken apart. */
export interface TaskText {
  readonly text: string
  readonly goals: readonly Goal[]
  readonly spans: readonly PlacedSpan[]
  /** Spans with equal text, by lower-case text; numbers also by their value. */
  readonly spansByKey: ReadonlyMap<string, readonly number[]>
  readonly grams: ReadonlySet<string>
  readonly question: boolean
}

/** @param verbs - stems that open some tool's name or description; see {@link splitClauses}. */
export function parseTaskText(text: string, verbs: ReadonlySet<number>, vocabulary: ReadonlySet<number>): TaskText {
  const tokens = tokenize(text)
  const found = findSpans(text)
  const spanOf = spanOfTokens(tokens, found)
  const clauses = splitClauses(tokens, spanOf, verbs)
  const goalClauses = pickGoals(clauses, tokens, spanOf, vocabulary)
  const goalOf = goalOfClauses(clauses, goalClauses)
  const words = freeWords(tokens, spanOf, text)
  const clauseAt = clauseOfTokens(tokens.length, clauses)
  const placed = [...found, ...words].map((span, index) => {
    const at = tokens.findIndex((token) => token.end > span.start)
    return placeSpan(
      span,
      index,
      tokens,
      spanOf,
      at,
      goalOf[clauseAt[at] ?? 0] ?? 0,
      clauses[clauseAt[at] ?? 0]?.from ?? 0,
    )
  })
  const spans = withoutWeakLabels(placed)
  const goals = goalClauses.map((clause, goal) => goalOfClause(clause, goal, tokens, spanOf, spans))
  return {
    text,
    goals,
    spans,
    spansByKey: indexByKey(spans),
    grams: gramsOf(tokens),
    question: goals.some((goal) => goal.question),
  }
}

/** A single capitalised word ("French") is a name only where its goal has no longer name or code. */
function withoutWeakLabels(spans: readonly PlacedSpan[]): PlacedSpan[] {
  const isWeak = (span: PlacedSpan) => span.kind === 'name' && !span.text.includes(' ')
  const named = new Set(spans.filter((span) => span.label && !isWeak(span)).map((span) => span.goal))
  return spans.map((span) => (span.label && isWeak(span) && named.has(span.goal) ? { ...span, label: false } : span))
}

function indexByKey(spans: readonly PlacedSpan[]): Map<string, number[]> {
  const byKey = new Map<string, number[]>()
  for (const { key, number, index } of spans) {
    for (const name of new Set(Number.isNaN(number) ? [key] : [key, String(number)])) {
      const known = byKey.get(name)
      if (known === undefined) byKey.set(name, [index])
      else known.push(index)
    }
  }
  return byKey
}

function spanOfTokens(tokens: readonly Token[], spans: readonly TextSpan[]): Int32Array {
  const owner = new Int32Array(tokens.length).fill(-1)
  let span = 0
  for (const [i, token] of tokens.entries()) {
    while (span < spans.length && (spans[span] as TextSpan).end <= token.start) span++
    const candidate = spans[span]
    if (candidate !== undefined && token.start >= candidate.start && token.end <= candidate.end) owner[i] = span
  }
  return owner
}

/** Clauses with a span, a question, or at least two words that tools know; the whole text when there is none. */
function pickGoals(
  clauses: readonly Clause[],
  tokens: readonly Token[],
  spanOf: Int32Array,
  vocabulary: ReadonlySet<number>,
): Clause[] {
  const goals = clauses.filter((clause) => {
    let spans = 0
    let known = 0
    for (let i = clause.from; i < clause.to; i++) {
      if ((spanOf[i] as number) >= 0) spans++
      else if ((tokens[i] as Token).content && vocabulary.has((tokens[i] as Token).stem)) known++
    }
    return spans > 0 || (!clause.negated && (clause.question ? known > 0 : known > 1))
  })
  if (goals.length > 0) return goals
  return [{ from: 0, to: tokens.length, question: clauses.some((clause) => clause.question), negated: false }]
}

/** Goal of each clause; a clause that is none counts to the goal before it. */
function goalOfClauses(clauses: readonly Clause[], goals: readonly Clause[]): number[] {
  let goal = -1
  return clauses.map((clause) => {
    if (goals[goal + 1] === clause) goal++
    return Math.max(goal, 0)
  })
}

function clauseOfTokens(length: number, clauses: readonly Clause[]): Int32Array {
  const at = new Int32Array(length)
  for (const [index, clause] of clauses.entries()) at.fill(index, clause.from, clause.to)
  return at
}

/** Content words outside spans: they may be values too ("set the colour to red"). */
function freeWords(tokens: readonly Token[], spanOf: Int32Array, text: string): TextSpan[] {
  return tokens
    .filter((token, i) => token.content && (spanOf[i] as number) < 0)
    .map((token) => textSpan(text.slice(token.start, token.end).toLowerCase(), 'word', token.start, token.end))
}

function placeSpan(
  span: TextSpan,
  index: number,
  tokens: readonly Token[],
  spanOf: Int32Array,
  at: number,
  goal: number,
  clauseFrom: number,
): PlacedSpan {
  const own = tokens.filter((token) => token.start >= span.start && token.end <= span.end)
  const before = wordsBefore(tokens, at, clauseFrom)
  const noun = before.find((token) => token.content && (spanOf[tokens.indexOf(token)] as number) < 0)
  const next = at + own.length
  const possessive = /^['’]s?$/.test(tokens[next]?.lower ?? '')
  const follower = tokens.slice(next, next + 3).find((token) => token.word)
  return {
    ...span,
    index,
    kindIndex: spanKinds.indexOf(span.kind),
    goal,
    before: before[0]?.stem ?? 0,
    leading: before.slice(0, 3).map((token) => token.stem),
    noun: noun?.stem ?? 0,
    after: follower?.stem ?? 0,
    possessive,
    first: own[0]?.stem ?? 0,
    last: own.at(-1)?.stem ?? 0,
    label: isLabel(span) && !givers.has(before[0]?.stem ?? 0),
  }
}

/** Words before a position in its clause, nearest first. */
function wordsBefore(tokens: readonly Token[], at: number, from: number): Token[] {
  const words: Token[] = []
  for (let i = at - 1; i >= from && words.length < 6; i--) {
    const token = tokens[i] as Token
    if (token.word) words.push(token)
  }
  return words
}

/** Words after which a name is given to something new, rather than naming what there is. */
const givers = new Set(['called', 'named', 'titled'].map(stemHash))

function isLabel({ kind, text }: TextSpan): boolean {
  return kind === 'name' || kind === 'code' || (kind === 'quoted' && /^[\p{Lu}\d]/u.test(text))
}

function goalOfClause(
  clause: Clause,
  goal: number,
  tokens: readonly Token[],
  spanOf: Int32Array,
  spans: readonly PlacedSpan[],
): Goal {
  const words = new Map<number, GoalWord>()
  for (let i = clause.from; i < clause.to; i++) {
    const token = tokens[i] as Token
    if (!token.content || (spanOf[i] as number) >= 0 || words.has(token.stem)) continue
    words.set(token.stem, { stem: token.stem, role: roleOf(tokens, spanOf, i, words.size === 0) })
  }
  return {
    question: clause.question,
    words: [...words.values()],
    stems: new Set(words.keys()),
    spans: spans.filter((span) => span.goal === goal).map((span) => span.index),
    grams: gramsOf(tokens.slice(clause.from, clause.to)),
  }
}

function roleOf(tokens: readonly Token[], spanOf: Int32Array, i: number, opening: boolean): number {
  if (opening) return wordRoles.opening
  if ((spanOf[i + 1] ?? -1) >= 0) return wordRoles.beforeName
  if (i > 0 && /^['’]s?$/.test((tokens[i - 1] as Token).lower)) return wordRoles.afterPossessive
  if (/^(of|from|with|for|belonging)$/.test(tokens[i + 1]?.lower ?? '')) return wordRoles.beforeOf
  return wordRoles.plain
}

function gramsOf(tokens: readonly Token[]): Set<string> {
  const words = tokens.filter((token) => /^[\p{L}\d]/u.test(token.lower)).map((token) => token.lower)
  const grams = new Set<string>()
  for (let i = 0; i < words.length; i++) {
    let gram = ''
    for (let length = 1; length <= 4 && i + length <= words.length; length++) {
      gram = length === 1 ? (words[i] as string) : `${gram} ${words[i + length - 1]}`
      grams.add(gram)
    }
  }
  return grams
}
