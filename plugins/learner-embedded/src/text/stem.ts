const memo = new Map<string, number>()
const memoLimit = 50_000

/** FNV-1a over UTF-16 units: a 32-bit integer that stands for a text. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash | 0
}

/** A light English stemmer: plural, -ed and -ing endings and a final e go, so that "cancelled" meets "cancel". */
export function stem(word: string): string {
  const lower = word.toLowerCase().replace(/['’]s?$/, '')
  const base = withoutVerbEnding(withoutPlural(lower))
  if (base.length <= 3) return base
  return base.endsWith('e') || /([bdglmnprt])\1$/.test(base) ? base.slice(0, -1) : base
}

function withoutPlural(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || /(ss|us|is)$/.test(word)) return word
  if (word.endsWith('ies')) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1)
  if (/(s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2)
  return word.slice(0, -1)
}

function withoutVerbEnding(word: string): string {
  if (word.endsWith('ied') && word.length > 4) return `${word.slice(0, -3)}y`
  const ending = word.endsWith('ing') ? 3 : word.endsWith('ed') ? 2 : 0
  if (ending === 0 || word.length - ending < 3 || !/[aeiouy]/.test(word.slice(0, -ending))) return word
  return word.slice(0, -ending)
}

/** The stem of a word as a 32-bit integer. */
export function stemHash(word: string): number {
  const known = memo.get(word)
  if (known !== undefined) return known
  if (memo.size >= memoLimit) memo.clear()
  const hash = hashText(stem(word))
  memo.set(word, hash)
  return hash
}
