import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../artifacts/make-folder.ts'
import { contentHash } from '../determinism/content-hash.ts'
import { errnoOf, writeError } from '../errors/file-error.ts'

/** What names a run's folder. */
export interface RunIdentity {
  /** Folder that all runs lie in. */
  readonly root: string
  /** The command, for example "train". */
  readonly kind: string
  /** The configuration's label. */
  readonly name: string
  /** The policy's. */
  readonly model: string
  /** The resolved configuration with its plugins. */
  readonly config: unknown
}

/** Where a configuration lies does not make it another one. */
const placeKeys: ReadonlySet<string> = new Set(['baseDirectory', 'file', 'output'])

/** sha-256, hex, of a configuration without where its file and its results lie. */
export function configHash(config: unknown): string {
  if (typeof config !== 'object' || config === null) return contentHash(config)
  return contentHash(Object.fromEntries(Object.entries(config).filter(([key]) => !placeKeys.has(key))))
}

const filePart = (text: string) => text.replaceAll(/[^A-Za-z0-9._-]+/g, '_').slice(0, 80) || '_'

/** Path of the first run of this configuration: `<root>/<kind>/<name>--<model>--<8 hex digits>`. */
export function runPath({ root, kind, name, model, config }: RunIdentity): string {
  return join(root, filePart(kind), `${filePart(name)}--${filePart(model)}--${configHash(config).slice(0, 8)}`)
}

/**
 * Makes the folder of a fresh run. Another run of the same configuration gets the suffix `-2`, `-3`, …, so results that
 * are there stay untouched.
 *
 * @throws {RlenvError} RLENV_OUTPUT_UNWRITABLE, RLENV_DISK_FULL
 */
export async function makeRunFolder(identity: RunIdentity): Promise<string> {
  const first = runPath(identity)
  try {
    await makeFolder(join(first, '..'))
    for (let run = 1; ; run++) {
      const folder = run === 1 ? first : `${first}-${run}`
      if (await madeFresh(folder)) return folder
    }
  } catch (cause) {
    throw writeError(first, cause)
  }
}

async function madeFresh(folder: string): Promise<boolean> {
  try {
    await mkdir(folder)
    return true
  } catch (cause) {
    if (errnoOf(cause) === 'EEXIST' && (await stat(folder)).isDirectory()) return false
    throw cause
  }
}
