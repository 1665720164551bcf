/** A part of a pattern: one character's worth, or a group of alternatives; repeated `least` to `most` times. */
interface Part {
  readonly source: string
  /** Null for a part that is no group. */
  readonly alternatives: readonly (readonly Part[])[] | null
  readonly least: number
  readonly most: number
}

/** What a pattern may cost. */
export interface PatternCost {
  /** Whether it may take time exponential in the text's length, or cannot be judged. */
  readonly explosive: boolean
  /** Longest text that it may be matched against, in UTF-16 units. */
  readonly longestText: number
}

/** Steps that one match may take at worst; some tenths of a second. */
const mostSteps = 1e8

/** Repetitions up to this number count as fixed. */
const fewRepetitions = 32

const anAtom = /\\(?:[pPu]\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|[^()|]/uy
const aQuantifier = /(?:[*+?]|\{(\d+)(,(\d*))?\})\??/y
const aGroupStart = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/y

class PatternReader {
  readonly #pattern: string
  #at = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  alternatives(): Part[][] {
    const found: Part[][] = [[]]
    for (;;) {
      const next = this.#pattern[this.#at]
      if (next === undefined || next === ')') return found
      if (next === '|') {
        this.#at++
        found.push([])
      } else found.at(-1)?.push(this.#part())
    }
  }

  #part(): Part {
    const start = this.#at
    const opened = this.#take(aGroupStart) !== null
    let alternatives: Part[][] | null = null
    if (opened) {
      alternatives = this.alternatives()
      this.#at++
    } else if (this.#take(anAtom) === null) throw new SyntaxError(`unreadable at ${start}`)
    const source = this.#pattern.slice(start, this.#at)
    return { source, alternatives, ...this.#repetition() }
  }

  #repetition(): { readonly least: number; readonly most: number } {
    const match = this.#take(aQuantifier)
    if (match === null) return { least: 1, most: 1 }
    const [sign = '', low, comma, high] = match
    if (low === undefined)
      return { least: sign[0] === '+' ? 1 : 0, most: sign[0] === '?' ? 1 : Number.POSITIVE_INFINITY }
    if (comma === undefined) return { least: Number(low), most: Number(low) }
    return { least: Number(low), most: high === '' ? Number.POSITIVE_INFINITY : Number(high) }
  }

  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at
    const match = expression.exec(this.#pattern)
    if (match !== null) this.#at = expression.lastIndex
    return match
  }
}

/** The character that a part stands for, if it can be no other one. */
function literalOf({ source, alternatives, least, most }: Part): string | null {
  if (alternatives !== null || least !== 1 || most !== 1) return null
  if (/^[^\\[\].^$]$/u.test(source)) return source
  return /^\\[^\w\s]$/u.test(source) ? source.slice(1) : null
}

function atomsOf(parts: readonly Part[]): Part[] {
  return parts.flatMap((part) => (part.alternatives === null ? [part] : part.alternatives.flatMap(atomsOf)))
}

const varies = (part: Part): boolean =>
  part.least !== part.most ||
  (part.alternatives ?? []).length > 1 ||
  (part.alternatives ?? []).some((own) => own.some(varies))

/**
 * Whether a text can be cut into repetitions of a group in one way only: each alternative begins with a character of its
 * own, which nothing else in the group matches where lengths vary.
 */
function isDelimited(alternatives: readonly (readonly Part[])[]): boolean {
  const [only] = alternatives
  if (alternatives.length === 1 && only !== undefined && !only.some(varies)) return only.length > 0
  const firsts = alternatives.map(([first]) => (first === undefined ? null : literalOf(first)))
  if (firsts.includes(null) || new Set(firsts).size < firsts.length) return false
  const others = alternatives.flatMap(([, ...rest]) => atomsOf(rest))
  if (!alternatives.some((own) => own.some(varies))) return true
  return !others.some(({ source }) => {
    const expression = new RegExp(`^(?:${source})$`, 'u')
    return firsts.some((character) => expression.test(String(character)))
  })
}

function isExplosive(part: Part): boolean {
  const { source, alternatives, most } = part
  if (alternatives === null) return /^\\[1-9k]/.test(source)
  if (most > 1 && !isDelimited(alternatives)) return true
  return alternatives.some((own) => own.some(isExplosive))
}

/** How many parts can each stretch over the text on their own: the degree of the time that a failing match takes. */
function stretches(part: Part): number {
  const own = part.most > fewRepetitions ? 1 : 0
  return own + (part.alternatives ?? []).flat().reduce((sum, inner) => sum + stretches(inner), 0)
}

/** Judges a regular expression before it may see texts of unknown origin. */
export function patternCost(pattern: string): PatternCost {
  let alternatives: readonly (readonly Part[])[]
  try {
    new RegExp(pattern, 'u')
    alternatives = new PatternReader(pattern).alternatives()
  } catch {
    return { explosive: true, longestText: 0 }
  }
  const explosive = alternatives.some((own) => own.some(isExplosive))
  const anchored = alternatives.every(([first]) => first?.source === '^')
  const degree = alternatives.flat().reduce((sum, part) => sum + stretches(part), anchored ? 0 : 1)
  return { explosive, longestText: degree <= 1 ? Number.POSITIVE_INFINITY : Math.floor(mostSteps ** (1 / degree)) }
}
