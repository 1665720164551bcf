import { createHash } from 'node:crypto'
import { RlenvError } from '../../errors/rlenv-error.ts'
import type { TableInfo } from '../sqlite/table-info.ts'

/** A database as bytes that instances are opened from, with what is known about it. Never written to. */
export interface DatabaseImage {
  /** A whole SQLite database in rollback-journal mode. */
  readonly bytes: Buffer
  /** sha-256, hex, of the bytes and the clock. */
  readonly hash: string
  /** The instant at which every instance stands still, ISO 8601 UTC with milliseconds. */
  readonly clock: string
  /** DDL as SQLite stored it, in creation order; tables, indexes, views and triggers. */
  readonly schema: readonly string[]
  /** Tables that hold state, sorted by name. */
  readonly tables: readonly TableInfo[]
}

const invalidImage = (message: string): RlenvError =>
  new RlenvError(message, { code: 'RLENV_DATABASE_INVALID', fix: 'Build the image again from its source.' })

/**
 * Sets the header to rollback-journal mode (bytes 18 and 19), without which a memory image of a WAL database cannot be
 * read, and checks that no page is missing. Changes the given bytes.
 *
 * @throws {RlenvError} RLENV_DATABASE_INVALID
 */
export function normalizeHeader(bytes: Buffer): Buffer {
  if (bytes.length < 100 || bytes.toString('latin1', 0, 15) !== 'SQLite format 3') {
    throw invalidImage(`${bytes.length} bytes are not a SQLite database`)
  }
  const stored = bytes.readUInt16BE(16)
  const pageSize = stored === 1 ? 65_536 : stored
  const expected = bytes.readUInt32BE(28) * pageSize
  if (bytes.length !== expected) throw invalidImage(`a database image has ${bytes.length} bytes instead of ${expected}`)
  bytes[18] = 1
  bytes[19] = 1
  return bytes
}

/** sha-256, hex, of an image's bytes and clock. */
export function imageHash(bytes: Buffer, clock: string): string {
  return createHash('sha256').update(clock).update('\0').update(bytes).digest('hex')
}
