/** How words become identifiers and sentences. */

export type LetterStyle = 'snake' | 'camel'

const irregularPlurals: Readonly<Record<string, string>> = { person: 'people', staff: 'staff', equipment: 'equipment' }

/** Words of an identifier in one of the two letter styles, for example `call_off_order` or `callOffOrder`. */
export function identifier(style: LetterStyle, ...parts: readonly string[]): string {
  const words = parts.flatMap((part) => part.split(/[\s-]+/)).filter((word) => word !== '')
  const lower = words.map((word) => word.toLowerCase())
  if (style === 'snake') return lower.join('_')
  return lower.map((word, index) => (index === 0 ? word : capitalized(word))).join('')
}

/** The plural of an English noun; only the last word of a compound changes. */
export function plural(noun: string): string {
  const at = noun.lastIndexOf(' ') + 1
  const head = noun.slice(0, at)
  const last = noun.slice(at)
  const irregular = irregularPlurals[last]
  if (irregular !== undefined) return head + irregular
  if (/sis$/.test(last)) return `${head}${last.slice(0, -2)}es`
  if (/[^aeiou]y$/.test(last)) return `${head}${last.slice(0, -1)}ies`
  if (/(s|x|z|ch|sh)$/.test(last)) return `${head}${last}es`
  return `${head}${last}s`
}

/** "a" or "an", by the sound the next word starts with. */
export function article(next: string): 'a' | 'an' {
  return /^(?:[aeio]|u(?!ni|se|su|ti))/i.test(next) ? 'an' : 'a'
}

export function capitalized(text: string): string {
  return text === '' ? '' : text.charAt(0).toUpperCase() + text.slice(1)
}

/** A word form as a database stores it: no spaces. */
export function storedForm(form: string): string {
  return form.replaceAll(' ', '_')
}

/** An SQL identifier, always quoted, so that no generated name collides with a keyword. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** An SQL text literal. */
export function sqlText(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}
