/** Why a text reads badly, or null when nothing is wrong with it. */
export function instructionFault(text: string): string | null {
  for (const { fault, pattern } of faults) {
    const found = pattern.exec(text)
    if (found !== null) return `${fault}: "${found[0]}"`
  }
  return verbNounClash(text)
}

const faults: readonly { readonly fault: string; readonly pattern: RegExp }[] = [
  { fault: 'a word comes twice', pattern: /\b([a-z]+) \1\b/i },
  { fault: 'two articles', pattern: /\b(?:a|an|the) (?:a|an|the)\b/i },
  { fault: '"a" before a vowel', pattern: /\ba [aeio][a-z]/ },
  { fault: 'an empty place', pattern: /undefined|null|NaN| {2}|\s[.,?!]/ },
  { fault: 'a new that is not new', pattern: /\bnew (?:a|an|the|new)\b/i },
  { fault: 'a double full stop', pattern: /\.\.|\?\.|!\./ },
  { fault: 'an identifier', pattern: /[a-z]_[a-z]/ },
]

const stopWords = new Set(['the', 'with', 'that', 'from', 'this', 'then', 'also', 'after', 'please', 'please'])

/** "book a booking", "order the order": the first word of a clause comes back as its noun. */
function verbNounClash(text: string): string | null {
  const clauses = text.split(/(?:[.?!] |, | and then | and )/)
  for (const clause of clauses) {
    const words = clause
      .toLowerCase()
      .replace(/^please /, '')
      .split(' ')
    const verb = words[0] ?? ''
    if (verb.length < 4 || stopWords.has(verb)) continue
    const near = words.slice(1, 5).filter((word) => word.length > 3 && !stopWords.has(word))
    const clash = near.find((word) => word.startsWith(verb.slice(0, 4)))
    if (clash !== undefined) return `verb and noun sound alike: "${verb} … ${clash}"`
  }
  return null
}
