import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errnoOf } from '../errors/file-error.ts'

/**
 * Makes a folder and those above it that are missing. Unlike the recursive mkdir of Node it comes to an end where a file
 * system has folders and takes no new ones, such as /proc.
 *
 * @throws what the system says; ENOENT when the folder above exists and takes no new one.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
    if (!(await isFolder(dirname(path)))) await makeFolder(dirname(path))
    await makeOne(path)
  }
}

/** One that is there already, perhaps since a moment ago, is as good. */
async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST' || !(await isFolder(path))) throw error
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found?.isDirectory() === true
}
