import { constants } from 'node:fs'
import { appendFile, type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../artifacts/make-folder.ts'
import { writeError } from '../errors/file-error.ts'

/** What a crash left behind an otherwise good file. */
export interface TornTail {
  readonly file: string
  /** Where the tail was moved to. */
  readonly movedTo: string
  readonly bytes: number
}

export interface JsonlOptions {
  /** Whether every append is flushed to the disk before it resolves. Default true. */
  readonly flush?: boolean
  /** Takes out of the lines what may not be written. Default: nothing. */
  readonly redact?: (text: string) => string
}

/** Bytes looked at in one piece while a last line's beginning is searched. */
const pieceBytes = 65_536

/**
 * A file of JSON lines that only grows.
 *
 * An append that has resolved is on the disk, whole, and in the order of the calls; with `flush: false` it is with the
 * operating system only. A crash during an append leaves whole lines and at most one torn one; opening the file again
 * moves that tail into `<file>.torn`. An append that fails (full disk) takes back the line that it did not complete.
 */
export class JsonlFile {
  readonly path: string
  /** Set when the file ended in half a line. */
  readonly tornTail: TornTail | null
  readonly #handle: FileHandle
  readonly #flush: boolean
  readonly #redact: (text: string) => string
  #last: Promise<void> = Promise.resolve()

  private constructor(path: string, handle: FileHandle, tornTail: TornTail | null, options: JsonlOptions) {
    this.path = path
    this.tornTail = tornTail
    this.#handle = handle
    this.#flush = options.flush ?? true
    this.#redact = options.redact ?? ((text) => text)
  }

  /**
   * Opens or creates the file, and its folder.
   *
   * @throws {RlenvError} RLENV_OUTPUT_UNWRITABLE, RLENV_DISK_FULL
   */
  static async open(path: string, options: JsonlOptions = {}): Promise<JsonlFile> {
    try {
      await makeFolder(dirname(path))
      const handle = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND)
      return new JsonlFile(path, handle, await setTailAside(path, handle), options)
    } catch (cause) {
      throw writeError(path, cause)
    }
  }

  /** @throws {RlenvError} RLENV_DISK_FULL, RLENV_OUTPUT_UNWRITABLE; the file then ends with its last whole line. */
  append(records: readonly unknown[]): Promise<void> {
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join('')
    return this.appendText(text)
  }

  /** Appends text that is made of whole lines already. */
  appendText(lines: string): Promise<void> {
    if (lines === '') return this.#last
    const writing = this.#last.then(() => this.#write(this.#redact(lines)))
    this.#last = writing.catch(() => undefined)
    return writing
  }

  /** Waits for every append so far. */
  async close(): Promise<void> {
    await this.#last
    await this.#handle.close()
  }

  async #write(lines: string): Promise<void> {
    try {
      await this.#handle.appendFile(lines)
      if (this.#flush) await this.#handle.datasync()
    } catch (cause) {
      await this.#takeBackTail()
      throw writeError(this.path, cause)
    }
  }

  async #takeBackTail(): Promise<void> {
    const { size, end } = await lastWholeLine(this.#handle)
    if (end < size) await this.#handle.truncate(end)
  }
}

/** Size of a file and the position behind its last line break. */
async function lastWholeLine(handle: FileHandle): Promise<{ readonly size: number; readonly end: number }> {
  const { size } = await handle.stat()
  for (let to = size; to > 0; ) {
    const from = Math.max(0, to - pieceBytes)
    const piece = Buffer.alloc(to - from)
    await handle.read(piece, 0, piece.length, from)
    const at = piece.lastIndexOf(0x0a)
    if (at >= 0) return { size, end: from + at + 1 }
    to = from
  }
  return { size, end: 0 }
}

async function setTailAside(path: string, handle: FileHandle): Promise<TornTail | null> {
  const { size, end } = await lastWholeLine(handle)
  if (end === size) return null
  const tail = Buffer.alloc(size - end)
  await handle.read(tail, 0, tail.length, end)
  const movedTo = `${path}.torn`
  await appendFile(movedTo, Buffer.concat([tail, Buffer.from('\n')]), { flush: true })
  await handle.truncate(end)
  await handle.datasync()
  return { file: path, movedTo, bytes: tail.length }
}
