/** Longest text that functions of any query make, in UTF-16 units. */
const longestMade = 100_000

/** Nanoseconds that a query may go through texts without a look at the clock. */
const mostNanoseconds = 250_000_000

/** Characters that a row's texts may have without taking longer. */
const usualLength = 100

/** Characters of what is neither stored nor written, such as numbers that were calculated. */
const shortest = 32

/** Characters that a query may keep in memory, to sort them or to look for equal ones. */
const mostKept = 256_000_000

/** The texts that a query reads and makes. */
export interface TextUse {
  /** How many times as long as one that it reads a text may become. */
  readonly copies: number
  /** Characters of the texts that it writes out. */
  readonly written: number
  /** No stored text that it reads is longer, in bytes. */
  readonly mostStored: number
  /** The longest of them, which takes a look at all. */
  stored(): number
}

/** What a query does between two looks at the clock. */
export interface RowUse {
  /** Rows that it looks at. */
  readonly rows: number
  /** Nanoseconds for each of them and each character of its texts. */
  readonly time: number
}

const longestOf = ({ copies, written }: TextUse, read: number): number => copies * (Math.max(read, shortest) + written)

/** How long the texts may be that a query's functions make. */
export type TextRoom =
  | { readonly ok: true; readonly longestText: number }
  | { readonly ok: false; readonly fault: string }

/**
 * Nothing looks at the clock while SQLite goes through a text, or while a query joins what its subqueries have yielded. So
 * the longer its texts and the more it does with each, the fewer such rows it may have; where those it reads leave room,
 * its functions may make longer ones.
 */
export function textRoom({ rows, time }: RowUse, texts: TextUse): TextRoom {
  const allowed = usualLength + mostNanoseconds / (rows * time)
  if (longestOf(texts, texts.mostStored) > allowed) {
    const length = longestOf(texts, texts.stored())
    if (length > allowed)
      return {
        ok: false,
        fault: `may make or go through texts of ${length} characters, at most ${Math.floor(allowed)} are allowed with what it calculates of each row; join or search fewer texts, or leave long ones out of its subqueries`,
      }
  }
  return { ok: true, longestText: Math.min(longestMade, Math.floor(allowed / texts.copies) - texts.written) }
}

/**
 * Rows of tables of which a query may keep what it makes.
 *
 * @param visits - rows that it may look at.
 */
export function keptRows(texts: TextUse, visits: number): number {
  if (visits * longestOf(texts, texts.mostStored) <= mostKept) return visits
  return Math.floor(mostKept / longestOf(texts, texts.stored()))
}
