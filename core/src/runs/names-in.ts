import { readdir } from 'node:fs/promises'
import { errnoOf } from '../errors/file-error.ts'

/** What a folder holds, sorted; nothing when it is not there or no folder. @throws what reading it throws otherwise. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort()
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(cause) ?? '')) return []
    throw cause
  }
}
