import { errorCodes } from './error-codes.ts'
import { isRlenvError } from './rlenv-error.ts'

/** The exit code of a command that ended with this: the error's own, 130 for an abort, 1 for anything unexpected. */
export function exitCodeOf(thrown: unknown): number {
  if (isRlenvError(thrown) && Object.hasOwn(errorCodes, thrown.code)) return errorCodes[thrown.code].exit
  return thrown instanceof Error && thrown.name === 'AbortError' ? errorCodes.RLENV_INTERRUPTED.exit : 1
}
