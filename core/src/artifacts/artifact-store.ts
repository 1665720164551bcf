import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { contentHash } from '../determinism/content-hash.ts'
import { errnoOf, writeError } from '../errors/file-error.ts'
import { makeFolder } from './make-folder.ts'
import { temporaryPath } from './write-file-atomic.ts'

const format = 1

/**
 * What stages of synthesis made, on disk, by artefact key. A file appears whole or not at all and is checked against
 * its own hash when it is read: whatever a crash or another program left behind counts as absent and is made again, so
 * nothing is flushed. Reads and writes do not leave the thread: for files of this size that costs more than the file.
 */
export class ArtifactStore {
  readonly directory: string

  constructor(directory: string) {
    this.directory = directory
  }

  /** The value stored under a key, or undefined when there is none that is whole. */
  async get(key: string): Promise<unknown> {
    const text = this.#read(key)
    if (text === undefined) return undefined
    const [header, body] = splitOnce(text, '\n')
    return header === headerOf(key, body) ? JSON.parse(body) : undefined
  }

  /**
   * Stores a JSON value under a key.
   *
   * @throws {RlenvError} RLENV_DISK_FULL, RLENV_OUTPUT_UNWRITABLE; everything stored before stays readable.
   */
  async put(key: string, value: unknown): Promise<void> {
    const body = JSON.stringify(value)
    const path = this.#path(key)
    const text = `${headerOf(key, body)}\n${body}`
    try {
      if (!existsSync(dirname(path))) await makeSubfolder(dirname(path))
      writeWhole(path, text)
    } catch (cause) {
      throw writeError(path, cause)
    }
  }

  #path(key: string): string {
    return join(this.directory, key.slice(0, 2), `${key}.json`)
  }

  #read(key: string): string | undefined {
    const path = this.#path(key)
    if (!existsSync(path)) return undefined
    try {
      return readFileSync(path, 'utf8')
    } catch (cause) {
      if (errnoOf(cause) === 'ENOENT') return undefined
      throw writeError(path, cause)
    }
  }
}

/** All but a store's first are one folder in one that is there. */
async function makeSubfolder(path: string): Promise<void> {
  try {
    mkdirSync(path)
  } catch {
    await makeFolder(path)
  }
}

function writeWhole(path: string, text: string): void {
  const temporary = temporaryPath(path)
  try {
    writeFileSync(temporary, text, { flag: 'wx' })
    renameSync(temporary, path)
  } catch (cause) {
    rmSync(temporary, { force: true })
    throw cause
  }
}

function headerOf(key: string, body: string): string {
  return JSON.stringify({ format, key, sha256: contentHash(body) })
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)]
}
