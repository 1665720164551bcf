import { oneLine } from './one-line.ts'

const mostLines = 12

/** What a generator is told before it tries again: one line per thing that went wrong, the first dozen. */
export function feedbackText(attempt: number, errors: readonly string[]): string {
  const shown = errors.slice(0, mostLines).map((error) => `- ${oneLine(error)}`)
  const rest = errors.length > mostLines ? [`- and ${errors.length - mostLines} more`] : []
  const count = errors.length === 1 ? '1 thing was' : `${errors.length} things were`
  return [`Try ${attempt} was executed and not accepted; ${count} wrong:`, ...shown, ...rest].join('\n')
}
