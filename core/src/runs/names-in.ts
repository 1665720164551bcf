import { readdir } from 'node:fs/promises'
import { errnoOf } from '../errors/file-error.ts'

/** What a folder holds, sorted; nothing when it is not there. @throws what reading it throws otherwise. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort()
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return []
    throw cause
  }
}
