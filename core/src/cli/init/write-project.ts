import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../../artifacts/write-file-atomic.ts'
import { errnoOf } from '../../errors/file-error.ts'
import { RlenvError } from '../../errors/rlenv-error.ts'
import type { ProjectFile } from './project-files.ts'

/**
 * Writes the files of a project; optional ones that exist are kept.
 *
 * @throws {RlenvError} RLENV_USAGE, before anything is written, when a file that is not optional exists and `force` is not set.
 */
export async function writeProject(
  directory: string,
  files: readonly ProjectFile[],
  force: boolean,
): Promise<{ readonly written: readonly string[]; readonly kept: readonly string[] }> {
  const existing = new Set<string>()
  for (const { path } of files) if (await exists(join(directory, path))) existing.add(path)
  const inTheWay = files.find(({ path, optional }) => !optional && existing.has(path))
  if (inTheWay && !force) {
    throw new RlenvError(`${join(directory, inTheWay.path)} exists already`, {
      code: 'RLENV_USAGE',
      fix: 'Choose another folder, or overwrite the file with --force.',
    })
  }
  const kept = files.filter(({ path, optional }) => optional && existing.has(path))
  const written = files.filter((file) => !kept.includes(file))
  for (const { path, text } of written) await writeFileAtomic(join(directory, path), text)
  return { written: written.map(({ path }) => path), kept: kept.map(({ path }) => path) }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return false
    throw cause
  }
}
