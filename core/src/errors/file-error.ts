import { messageOf, RlenvError } from './rlenv-error.ts'

const diskFull: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
const unwritable: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR'])

/**
 * What went wrong while a file was written: RLENV_DISK_FULL or RLENV_OUTPUT_UNWRITABLE with the path and a fix. Anything
 * else comes back as it is.
 */
export function fromFileError(thrown: unknown, path: string): unknown {
  const code: unknown = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined
  if (diskFull.has(code)) {
    return new RlenvError(`the disk is full: ${path} could not be written (${String(code)})`, {
      code: 'RLENV_DISK_FULL',
      cause: thrown,
      fix: 'Free space on that disk and resume the run; what was written before is kept.',
    })
  }
  if (!unwritable.has(code)) return thrown
  return new RlenvError(`${path} cannot be written: ${messageOf(thrown)}`, {
    code: 'RLENV_OUTPUT_UNWRITABLE',
    cause: thrown,
    fix: 'Set "output.directory" to a folder that you may write to.',
  })
}
