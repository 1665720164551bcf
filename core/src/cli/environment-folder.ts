import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { readBundle, writeBundle } from '../artifacts/bundle-directory.ts'
import { writeFileAtomic } from '../artifacts/write-file-atomic.ts'
import { errnoOf, writeError } from '../errors/file-error.ts'
import { didYouMean } from '../errors/near-names.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { Environment } from '../vocabulary/environment.ts'

/** Ids of the bundles in a folder, sorted; none when there is no such folder. */
export async function listBundles(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    const held = await Promise.all(folders.map(async (name) => ((await isBundle(join(folder, name))) ? [name] : [])))
    return held.flat().sort()
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return []
    throw cause
  }
}

/** Whether a folder holds a bundle, by its manifest's name. */
export async function isBundle(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).includes('environment.json')
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT' || errnoOf(cause) === 'ENOTDIR') return false
    throw cause
  }
}

const recordName = 'synthesis.json'

/** What `rlenv synth` wrote into a folder, so that a later run takes away its own bundles and nobody else's. */
const recordSchema = z.object({ environments: z.array(z.string()) })

/** Writes environments as bundles and removes those of the last run that are none any more. */
export async function writeBundles(environments: readonly Environment[], folder: string): Promise<void> {
  const ids = environments.map(({ id }) => id)
  for (const stale of (await writtenBefore(folder)).filter((id) => !ids.includes(id))) {
    if (await isBundle(join(folder, stale))) await rm(join(folder, stale), { recursive: true })
  }
  for (const environment of environments) await writeBundle(environment, join(folder, environment.id))
  await writeFileAtomic(join(folder, recordName), `${JSON.stringify({ environments: ids }, null, 2)}\n`)
}

async function writtenBefore(folder: string): Promise<readonly string[]> {
  try {
    const record: unknown = JSON.parse(await readFile(join(folder, recordName), 'utf8'))
    return recordSchema.parse(record).environments.filter((id) => !/[\\/]|^\.+$/.test(id))
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return []
    if (errnoOf(cause) !== undefined) throw writeError(folder, cause)
    throw new RlenvError(`${join(folder, recordName)} is not what rlenv synth wrote`, {
      code: 'RLENV_FILE_INVALID',
      fix: 'Delete the file, or choose another folder with --out.',
      cause,
    })
  }
}

/** @throws {RlenvError} RLENV_USAGE for an unknown id, with near ones; RLENV_BUNDLE_INVALID for a damaged bundle. */
export async function readEnvironment(folder: string, id: string): Promise<Environment> {
  const known = await listBundles(folder)
  if (known.includes(id)) return readBundle(join(folder, id))
  throw new RlenvError(`${folder} holds no environment "${id}"`, {
    code: 'RLENV_USAGE',
    fix: didYouMean(id, known) ?? (known.length === 0 ? 'Run rlenv synth first.' : 'Run rlenv inspect to list them.'),
  })
}
