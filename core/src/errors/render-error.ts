import { errorCodes } from './error-codes.ts'
import { isRlenvError } from './rlenv-error.ts'

/** Causes deeper than this are cut off. */
const maxCauses = 8

export interface RenderOptions {
  /** Adds the stack of an error that nobody foresaw. Default false. */
  readonly stack?: boolean
}

/**
 * An error as the command line prints it.
 *
 * ```
 *  ✖ 2 plugins provide sampler: a, b
 *    fix     Keep one of a, b in "plugins".
 *    code    RLENV_SLOT_CONFLICT: two plugins of one layer provide the same slot
 * ```
 */
export function renderError(thrown: unknown, options: RenderOptions = {}): string {
  const lines = isRlenvError(thrown)
    ? [
        ...labelled('fix', thrown.fix),
        ...labelled('plugin', thrown.plugin),
        ...labelled('hook', thrown.hook),
        ...causeLines(thrown.cause),
        ...labelled('code', `${thrown.code}: ${errorCodes[thrown.code].when}`),
      ]
    : [...causeLines(thrown instanceof Error ? thrown.cause : undefined), ...unforeseen(thrown)]
  const stack = options.stack === true && thrown instanceof Error ? indented(stackOf(thrown)) : []
  return [` ✖ ${hanging(headline(thrown), '   ')}`, ...lines, ...stack].join('\n')
}

function headline(thrown: unknown): string {
  if (isRlenvError(thrown)) return thrown.message
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
}

function unforeseen(thrown: unknown): string[] {
  const place = thrown instanceof Error ? /\n\s+at (.+)/.exec(thrown.stack ?? '')?.[1] : undefined
  return [...labelled('at', place), ...labelled('fix', 'Report this with the command and its configuration.')]
}

/** The chain of causes, each once, even when it runs in a circle. */
function causeLines(first: unknown): string[] {
  const seen: unknown[] = []
  for (let cause = first; cause !== undefined && !seen.includes(cause) && seen.length < maxCauses; ) {
    seen.push(cause)
    cause = cause instanceof Error ? cause.cause : undefined
  }
  return seen.flatMap((cause) => labelled('cause', headline(cause)))
}

function labelled(label: string, text: string | undefined): string[] {
  if (text === undefined || text === '') return []
  return [`   ${label.padEnd(8)}${hanging(text, ' '.repeat(11))}`]
}

function hanging(text: string, indent: string): string {
  return text.trimEnd().replaceAll('\n', `\n${indent}`)
}

function stackOf(error: Error): string {
  const own = error.stack ?? ''
  return error.cause instanceof Error ? `${own}\ncaused by ${stackOf(error.cause)}` : own
}

function indented(text: string): string[] {
  return text.split('\n').map((line) => `     ${line.trim()}`)
}
