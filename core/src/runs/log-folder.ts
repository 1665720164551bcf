import { rename, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder } from '../artifacts/make-folder.ts'
import { temporaryPath } from '../artifacts/write-file-atomic.ts'
import { writeError } from '../errors/file-error.ts'

/**
 * Makes the folder for the log of one start of a run, and lets `latest` beside it point there.
 *
 * @throws {RlenvError} RLENV_OUTPUT_UNWRITABLE, RLENV_DISK_FULL
 */
export async function makeLogFolder(folder: string): Promise<void> {
  const latest = join(dirname(folder), 'latest')
  const temporary = temporaryPath(latest)
  try {
    await makeFolder(folder)
    await symlink(basename(folder), temporary)
    await rename(temporary, latest)
  } catch (cause) {
    throw writeError(latest, cause)
  }
}
