/** What a span of the task text looks like; also the bucket that features use. */
export const spanKinds = ['quoted', 'email', 'date', 'time', 'phone', 'code', 'number', 'name', 'word'] as const
export type SpanKind = (typeof spanKinds)[number]

/** A piece of the task text that may be the value of an argument. */
export interface TextSpan {
  readonly text: string
  /** Lower case, for comparison with cells. */
  readonly key: string
  readonly kind: SpanKind
  /** Its value when it reads as a number, otherwise NaN. */
  readonly number: number
  readonly start: number
  readonly end: number
}

const name = String.raw`\p{Lu}(?:[\p{L}\p{M}\d&’'-]+|\.|\b)`
const patterns: readonly (readonly [SpanKind, string])[] = [
  ['quoted', String.raw`"[^"\n]+"|“[^”\n]+”|(?<![\p{L}\d])'[^'\n]+'(?![\p{L}\d])|‘[^’\n]+’`],
  ['email', String.raw`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`],
  ['date', String.raw`\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?)?`],
  ['time', String.raw`\b\d{1,2}:\d{2}(?::\d{2})?\b`],
  ['phone', String.raw`\+\d[\d ().-]{5,}\d|\(\d{3}\) ?\d{3}-\d{4}|\b\d{3}-(?:\d{3}-)?\d{4}\b`],
  ['code', String.raw`\b(?=[\p{L}-]*\d)(?=[\d-]*\p{L})[\p{L}\d]+(?:-[\p{L}\d]+)*\b`],
  ['number', String.raw`[$€£]?\d+(?:,\d{3})*(?:\.\d+)?`],
  ['name', String.raw`${name}(?: (?:(?:of|&|the) )?(?:${name}|\d+(?![\d.,:-]*\d)\b))*`],
]
const finder = new RegExp(patterns.map(([kind, pattern]) => `(?<${kind}>${pattern})`).join('|'), 'gu')
const sentenceStart = /(?:^|[.!?:;\n]["”’']?\s+|^["“‘'])$/

/** A span out of its text. */
export function textSpan(text: string, kind: SpanKind, start: number, end: number): TextSpan {
  const plain = text.replace(/[$€£,]/g, '')
  const number = /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : Number.NaN
  return { text, key: text.toLowerCase(), kind, number, start, end }
}

/**
 * Quoted strings, e-mails, dates, times, phones, codes, numbers and runs of capitalised words, in order. A word that is
 * capitalised only because it opens a sentence is left out.
 */
export function findSpans(text: string): TextSpan[] {
  const spans: TextSpan[] = []
  for (const match of text.matchAll(finder)) {
    const kind = patterns.find(([candidate]) => match.groups?.[candidate] !== undefined)?.[0] ?? 'word'
    const span = kind === 'name' ? nameSpan(text, match[0], match.index) : markedSpan(kind, match[0], match.index)
    if (span !== null) spans.push(span)
  }
  return spans
}

function markedSpan(kind: SpanKind, found: string, index: number): TextSpan {
  if (kind !== 'quoted') return textSpan(found, kind, index, index + found.length)
  return textSpan(found.slice(1, -1), kind, index + 1, index + found.length - 1)
}

/** "Ann Lee would like …", "Ann Lee brings back …": a name that opens a sentence as its subject. */
function isSubject(name: string, rest: string): boolean {
  return (
    name.includes(' ') &&
    /^ (?:would|will|can|must|should|had|want|need|(?!as|plus|this|his|its)[a-z]{2,}s)\b/.test(rest)
  )
}

function nameSpan(text: string, found: string, index: number): TextSpan | null {
  let start = index
  let name = found
  if (sentenceStart.test(text.slice(0, index)) && !isSubject(name, text.slice(index + found.length))) {
    const first = /^\S+\s*/.exec(name)?.[0] ?? ''
    name = name.slice(first.length).replace(/^(?:of|&|the) /, '')
    start = index + found.length - name.length
  }
  const trimmed = name.replace(/['’]s?$/, '').replace(/[.'’-]+$/, '')
  if (trimmed === '' || trimmed === 'I') return null
  return textSpan(trimmed, /^\d+$/.test(trimmed) ? 'number' : 'name', start, start + trimmed.length)
}
