import { createReadStream } from 'node:fs'
import { errnoOf } from '../errors/file-error.ts'
import { messageOf, RlenvError } from '../errors/rlenv-error.ts'

/** One line of a file, parsed, with its number from 1. */
export interface JsonlRecord {
  readonly value: unknown
  readonly line: number
}

export interface JsonlEnd {
  readonly lines: number
  /** Bytes of a last line that was torn and left out; 0 when there was none. */
  readonly tornBytes: number
}

/**
 * Reads a file of JSON lines piece by piece, so that its size does not matter. Half a last line is left out: that is what
 * a crash leaves. Anything else that is no JSON is an error.
 *
 * @throws {RlenvError} RLENV_FILE_INVALID with the number of the line, or when the file cannot be read.
 */
export async function* readJsonl(path: string): AsyncGenerator<JsonlRecord, JsonlEnd, void> {
  let line = 0
  let rest: Buffer = Buffer.alloc(0)
  try {
    for await (const piece of createReadStream(path)) {
      let from = 0
      const bytes = rest.length === 0 ? (piece as Buffer) : Buffer.concat([rest, piece as Buffer])
      for (let at = bytes.indexOf(0x0a, rest.length); at >= 0; at = bytes.indexOf(0x0a, from)) {
        line++
        const text = bytes.toString('utf8', from, at)
        from = at + 1
        if (text.trim() !== '') yield { value: parseLine(path, line, text), line }
      }
      rest = bytes.subarray(from)
    }
  } catch (cause) {
    if (errnoOf(cause)?.startsWith('E')) throw unreadable(path, cause)
    throw cause
  }
  return { lines: line, tornBytes: rest.length }
}

function parseLine(path: string, line: number, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw lineInvalid(path, line, messageOf(cause), cause)
  }
}

/** The error for a line that is not what was written. */
export function lineInvalid(path: string, line: number, why: string, cause?: unknown): RlenvError {
  return new RlenvError(`${path}, line ${line}: ${why}`, {
    code: 'RLENV_FILE_INVALID',
    fix: `Restore the file, or remove line ${line}.`,
    cause,
  })
}

function unreadable(path: string, cause: unknown): RlenvError {
  return new RlenvError(`cannot read ${path}: ${messageOf(cause)}`, {
    code: 'RLENV_FILE_INVALID',
    fix: 'Name a results file that exists and can be read.',
    cause,
  })
}
