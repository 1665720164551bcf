/**
 * Edit distance in which swapping two neighbours counts as one edit (optimal string alignment).
 *
 * @see Damerau, "A technique for computer detection and correction of spelling errors", 1964.
 */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const cost = from[row - 1] === to[column - 1] ? 0 : 1
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const edits = [
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + cost,
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      ]
      current.push(Math.min(...edits))
    }
    beforeLast = last
    last = current
  }
  return last[to.length] ?? 0
}

/** The known names that a mistyped one may have meant, nearest first, at most `limit`. Case does not count. */
export function nearNames(wrong: string, known: Iterable<string>, limit = 3): string[] {
  const lower = wrong.toLowerCase()
  const tolerated = Math.max(1, Math.floor(lower.length / 3))
  return [...new Set(known)]
    .map((name) => ({ name, distance: distanceTo(lower, name.toLowerCase(), tolerated) }))
    .filter(({ distance }) => distance <= tolerated + containedPenalty)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name)
}

/** A name that merely contains the wrong one comes after every name that is a slip away from it. */
const containedPenalty = 0.5

/** Packages are known without their scope as well: "sampler-uniform" is near "@rlenv/sampler-uniform". */
function distanceTo(wrong: string, name: string, tolerated: number): number {
  const contained = wrong.length >= 4 && name.includes(wrong) ? tolerated + containedPenalty : Number.POSITIVE_INFINITY
  const unscoped = name.slice(name.lastIndexOf('/') + 1)
  return Math.min(contained, editDistance(wrong, name), editDistance(wrong, unscoped))
}

/** `Did you mean "a" or "b"?`, or undefined when nothing is near. */
export function didYouMean(wrong: string, known: Iterable<string>): string | undefined {
  const near = nearNames(wrong, known).map((name) => `"${name}"`)
  return near.length === 0 ? undefined : `Did you mean ${near.join(' or ')}?`
}
