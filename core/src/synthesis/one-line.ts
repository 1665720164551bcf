/** A text as one line of at most `length` characters, for progress, feedback and summaries. */
export function oneLine(text: string, length = 300): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`
}
