import { lstat, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errnoOf, writeError } from '../errors/file-error.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { Environment } from '../vocabulary/environment.ts'
import { bundleError } from './bundle-path.ts'
import { decodeBundle, decodeManifest } from './decode-bundle.ts'
import { type BundleParts, encodeBundle } from './encode-bundle.ts'
import { makeFolder } from './make-folder.ts'
import { temporaryPath } from './write-file-atomic.ts'

const manifestName = 'environment.json'

/**
 * Writes an environment as a bundle, a folder that a person can read and git can diff. Appears whole or not at all; a
 * bundle that stood there before is replaced, and left alone when it holds the same bytes already.
 *
 * @throws {RlenvError} RLENV_DISK_FULL, RLENV_OUTPUT_UNWRITABLE, also when the folder holds something else.
 */
export async function writeBundle(environment: Environment, directory: string): Promise<void> {
  const parts = encodeBundle(environment)
  try {
    if ((await occupant(directory)) === 'bundle' && (await holds(directory, parts))) return
    await replaceFolder(directory, parts)
  } catch (cause) {
    throw cause instanceof RlenvError ? cause : writeError(directory, cause)
  }
}

async function occupant(directory: string): Promise<'bundle' | 'nothing'> {
  const names = await readdir(directory).catch((cause: unknown): string[] => {
    if (errnoOf(cause) === 'ENOENT') return []
    throw cause
  })
  if (names.includes(manifestName)) return 'bundle'
  if (names.length === 0) return 'nothing'
  throw new RlenvError(`${directory} holds files that are no environment bundle`, {
    code: 'RLENV_OUTPUT_UNWRITABLE',
    fix: 'Name an empty or new folder.',
  })
}

async function holds(directory: string, parts: BundleParts): Promise<boolean> {
  for (const [path, text] of parts) {
    const present = await readFile(join(directory, path), 'utf8').catch(() => undefined)
    if (present !== text) return false
  }
  return true
}

async function replaceFolder(directory: string, parts: BundleParts): Promise<void> {
  const fresh = temporaryPath(directory)
  const old = temporaryPath(directory)
  try {
    for (const path of parts.keys()) await makeFolder(dirname(join(fresh, path)))
    await Promise.all([...parts].map(([path, text]) => writeFile(join(fresh, path), text)))
    const replaced = await renameIfPresent(directory, old)
    await rename(fresh, directory).catch(async (cause: unknown) => {
      if (replaced) await rename(old, directory)
      throw cause
    })
  } finally {
    await rm(fresh, { recursive: true, force: true })
    await rm(old, { recursive: true, force: true })
  }
}

async function renameIfPresent(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return false
    throw cause
  }
}

/**
 * Reads a bundle and checks every part against the hash in `environment.json`. Files that it does not list are ignored.
 *
 * @throws {RlenvError} RLENV_BUNDLE_INVALID naming the part that is missing, damaged, a link, or of another format.
 */
export async function readBundle(directory: string): Promise<Environment> {
  const manifest = decodeManifest(await readPart(directory, manifestName), directory)
  const parts = new Map<string, string>()
  for (const path of Object.keys(manifest.parts).sort()) parts.set(path, await readPart(directory, path))
  return decodeBundle(manifest, parts, directory)
}

async function readPart(directory: string, path: string): Promise<string> {
  await refuseLinks(directory, path)
  try {
    return await readFile(join(directory, path), 'utf8')
  } catch (cause) {
    throw bundleError(directory, path, `cannot be read (${errnoOf(cause) ?? 'unknown'})`, cause)
  }
}

/** A link inside a bundle could lead anywhere on the reader's machine. */
async function refuseLinks(directory: string, path: string): Promise<void> {
  const segments = path.split('/')
  for (let depth = 1; depth <= segments.length; depth++) {
    const stat = await lstat(join(directory, ...segments.slice(0, depth))).catch((cause: unknown) => {
      throw bundleError(directory, path, errnoOf(cause) === 'ENOENT' ? 'is missing' : 'cannot be read', cause)
    })
    const expected = depth === segments.length ? stat.isFile() : stat.isDirectory()
    if (!expected) throw bundleError(directory, path, stat.isSymbolicLink() ? 'is or lies behind a link' : 'is no file')
  }
}
