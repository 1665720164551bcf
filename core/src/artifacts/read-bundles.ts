import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoOf } from '../errors/file-error.ts'
import { didYouMean } from '../errors/near-names.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { Environment } from '../vocabulary/environment.ts'
import { readBundle } from './bundle-directory.ts'

/**
 * Reads the bundles that lie side by side in a folder, one folder each, in the order of their names.
 *
 * @param ids - only these; every one of them must be there.
 * @throws {RlenvError} RLENV_USAGE for an id that is not there, with the nearest names; RLENV_BUNDLE_INVALID.
 */
export async function readBundles(directory: string, ids?: readonly string[]): Promise<readonly Environment[]> {
  const present = await bundleNames(directory)
  const missing = ids?.find((id) => !present.includes(id))
  if (missing !== undefined) throw unknownEnvironment(directory, missing, present)
  const wanted = ids === undefined ? present : present.filter((name) => ids.includes(name))
  return Promise.all(wanted.map((name) => readBundle(join(directory, name))))
}

/** Folders that hold no manifest are none of ours. */
async function bundleNames(directory: string): Promise<readonly string[]> {
  const names = await namesIn(directory)
  const manifests = await Promise.all(names.map((name) => namesIn(join(directory, name))))
  return names.filter((_name, index) => manifests[index]?.includes('environment.json')).sort()
}

/** Nothing where there is no folder. */
async function namesIn(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path)
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(cause) ?? '')) return []
    throw cause
  }
}

function unknownEnvironment(directory: string, id: string, present: readonly string[]): RlenvError {
  return new RlenvError(`there is no environment "${id}" among the ${present.length} in ${directory}`, {
    code: 'RLENV_USAGE',
    fix: didYouMean(id, present) ?? `Name one of those in ${directory}.`,
  })
}
