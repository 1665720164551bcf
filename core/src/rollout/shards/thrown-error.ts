import { isRlenvError, messageOf, RlenvError } from '../../errors/rlenv-error.ts'
import type { ThrownError } from './shard-messages.ts'

/** An error as it can be sent. */
export function packError(thrown: unknown): ThrownError {
  const { name, stack } = thrown instanceof Error ? thrown : { name: 'Error', stack: undefined }
  const own = isRlenvError(thrown) ? thrown : undefined
  const { code, fix, plugin, hook } = own ?? {}
  return { name, message: messageOf(thrown), stack, code, fix, plugin, hook }
}

/** The error that was sent, with its stack of where it was thrown. */
export function unpackError({ name, message, stack, code, fix, plugin, hook }: ThrownError): Error {
  const error =
    code === undefined ? new Error(message) : new RlenvError(message, { code, ...known({ fix, plugin, hook }) })
  if (code === undefined && name !== 'Error') Object.defineProperty(error, 'name', { value: name })
  if (stack !== undefined) Object.defineProperty(error, 'stack', { value: stack })
  return error
}

function known(options: Readonly<Record<'fix' | 'plugin' | 'hook', string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
