import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isTemporaryName } from '../artifacts/write-file-atomic.ts'
import { writeError } from '../errors/file-error.ts'
import { namesIn } from './names-in.ts'

/** Folders of a run in which files are written aside and then renamed. */
const folders = ['.', 'checkpoints', 'evaluations', 'logs']

/**
 * Removes what a start of the run that was killed had begun to write, half a checkpoint for example. The caller holds
 * the run's lock.
 *
 * @throws {RlenvError} RLENV_OUTPUT_UNWRITABLE
 */
export async function removeLeftovers(run: string): Promise<void> {
  for (const folder of folders.map((name) => join(run, name))) {
    try {
      const leftovers = (await namesIn(folder)).filter(isTemporaryName)
      for (const name of leftovers) await rm(join(folder, name), { recursive: true, force: true })
    } catch (cause) {
      throw writeError(folder, cause)
    }
  }
}
