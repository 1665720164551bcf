/** By length, how long the longest text is that both begins and ends so many characters of `text` without being all of them. */
export function borders(text: string): Int32Array {
  const border = new Int32Array(text.length + 1)
  let length = 0
  for (let at = 1; at < text.length; at++) {
    while (length > 0 && text[at] !== text[length]) length = border[length] as number
    if (text[at] === text[length]) length++
    border[at + 1] = length
  }
  return border
}

/** How many prefixes of a text, itself among them, also end it at some place: the depth of its failure function (Knuth, Morris and Pratt). */
function mostBorders(text: string): number {
  const border = borders(text)
  const depth = new Int32Array(text.length + 1)
  let most = 0
  for (let length = 1; length <= text.length; length++) {
    depth[length] = 1 + (depth[border[length] as number] as number)
    most = Math.max(most, depth[length] as number)
  }
  return most
}

const wildcard = /[%_*?[\]]/
const betweenWords = /[^\p{L}\p{N}]+/u

/**
 * How often one character of any text is looked at, at most, while a pattern with `text` in it is searched there by trying
 * each place in turn, as LIKE and GLOB do: 1 to 5 for what people write, its length for `aaaa…`. Wildcards add up, for
 * each stands for any character; words count alone as well, because a tool may put wildcards between them.
 */
export function selfOverlap(text: string): number {
  const folded = text.toLowerCase()
  const runs = folded.split(wildcard)
  const whole = runs.reduce((sum, run) => sum + mostBorders(run), runs.length - 1)
  const words = new Set(folded.split(betweenWords))
  return [...words].reduce((most, word) => Math.max(most, mostBorders(word)), whole)
}
