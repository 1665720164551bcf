import { borders } from './text-repetition.ts'

/** Product of lengths up to which it does not matter that trying each place in turn takes as long as it. */
const mostTried = 1_000_000

/**
 * Where a text is first found in another from a place on, in UTF-16 units; -1 when it is not. However both repeat
 * themselves, it takes as long as they are long together (Knuth, Morris and Pratt).
 */
export function placeOf(text: string, sought: string, from = 0): number {
  if (text.length * sought.length <= mostTried) return text.indexOf(sought, from)
  const border = borders(sought)
  let matched = 0
  for (let at = from; at < text.length; at++) {
    while (matched > 0 && text[at] !== sought[matched]) matched = border[matched] as number
    if (text[at] === sought[matched]) matched++
    if (matched === sought.length) return at + 1 - matched
  }
  return -1
}

/** How often a text that is not empty is found in another, without overlaps. */
export function placesOf(text: string, sought: string): number {
  let places = 0
  for (let at = placeOf(text, sought); at >= 0; at = placeOf(text, sought, at + sought.length)) places++
  return places
}
