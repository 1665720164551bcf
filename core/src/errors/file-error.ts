import { messageOf, RlenvError } from './rlenv-error.ts'

const diskFull: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
const unwritable: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR'])

/** The errno code of a file system error ("ENOENT"), or undefined for anything else that was thrown. */
export function errnoOf(thrown: unknown): string | undefined {
  const code: unknown = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined
  return typeof code === 'string' ? code : undefined
}

/** What a failed write becomes: RLENV_DISK_FULL or RLENV_OUTPUT_UNWRITABLE, with the path and the system's own words. */
export function writeError(path: string, cause: unknown): RlenvError {
  if (diskFull.has(errnoOf(cause))) {
    return new RlenvError(`the disk is full: ${path} was not written`, {
      code: 'RLENV_DISK_FULL',
      fix: 'Free some space and run the same command again; what was written before is kept and not redone.',
      cause,
    })
  }
  return new RlenvError(`cannot write ${path}: ${messageOf(cause)}`, {
    code: 'RLENV_OUTPUT_UNWRITABLE',
    fix: 'Make the folder writable, or choose another one in the configuration.',
    cause,
  })
}

/** The same for something of which it is not known that writing failed: anything else comes back as it is. */
export function fromFileError(thrown: unknown, path: string): unknown {
  const code = errnoOf(thrown)
  return diskFull.has(code) || unwritable.has(code) ? writeError(path, thrown) : thrown
}
