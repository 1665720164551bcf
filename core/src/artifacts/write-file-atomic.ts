import { rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errnoOf, writeError } from '../errors/file-error.ts'
import { makeFolder } from './make-folder.ts'

let written = 0

/** Name, beside `path`, that no other write of this machine uses at the same time. */
export function temporaryPath(path: string): string {
  written += 1
  return join(dirname(path), `.${basename(path)}.${process.pid}-${written}.tmp`)
}

/** Whether a name is one that {@link temporaryPath} gave; such a file or folder stays behind when its writer is killed. */
export function isTemporaryName(name: string): boolean {
  return /^\..+\.\d+-\d+\.tmp$/.test(name)
}

/**
 * Writes a file whole or not at all: into a temporary file beside it, flushed to the disk, then renamed. Missing
 * folders are made.
 *
 * @throws {RlenvError} RLENV_DISK_FULL, RLENV_OUTPUT_UNWRITABLE; whatever stood at `path` before is untouched then.
 */
export async function writeFileAtomic(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = temporaryPath(path)
  const write = () => writeFile(temporary, content, { flag: 'wx', flush: true })
  try {
    await write().catch(async (cause: unknown) => {
      if (errnoOf(cause) !== 'ENOENT') throw cause
      await makeFolder(dirname(path))
      await write()
    })
    await rename(temporary, path)
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw writeError(path, cause)
  }
}
