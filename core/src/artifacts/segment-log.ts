import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { writeError } from '../errors/file-error.ts'
import { messageOf, RlenvError } from '../errors/rlenv-error.ts'

/** Bytes after which a segment takes no more entries. */
const defaultSegmentBytes = 16 * 2 ** 20

/** Where an entry lies. Moves when its segment is compacted. */
export interface Place {
  segment: Segment
  offset: number
  readonly length: number
  readonly checksum: number
}

interface Segment {
  readonly path: string
  /** Bytes written. */
  size: number
  /** Entries that were not freed, and the bytes of them. */
  readonly live: Set<Place>
  liveBytes: number
}

/**
 * Entries on disk while a process needs them: appended to segment files, found again by their place, which lies in memory.
 * A segment without entries is removed; one of which less than half is left has its entries moved to the newest, so the
 * files hold at most about twice what is kept. Nothing is flushed: after a crash the files are of no use.
 *
 * All calls are synchronous, so that an entry is either whole or not there. A write goes to the cache of the system.
 */
export class SegmentLog {
  readonly #directory: string
  readonly #segmentBytes: number
  readonly #segments = new Set<Segment>()
  #newest: { readonly segment: Segment; readonly file: number } | null = null
  #opened = 0

  /** @param directory - made with the first entry; nobody else writes there. */
  constructor(directory: string, segmentBytes = defaultSegmentBytes) {
    this.#directory = directory
    this.#segmentBytes = segmentBytes
  }

  /** Bytes of all files. */
  get diskBytes(): number {
    return [...this.#segments].reduce((sum, { size }) => sum + size, 0)
  }

  /** @throws {RlenvError} RLENV_DISK_FULL, RLENV_OUTPUT_UNWRITABLE; what was there before stays readable. */
  append(bytes: Uint8Array): Place {
    const { segment, file } = this.#writable()
    try {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(file, bytes, done, bytes.length - done, segment.size + done)
      }
    } catch (cause) {
      throw writeError(segment.path, cause)
    }
    const place = { segment, offset: segment.size, length: bytes.length, checksum: crc32(bytes) }
    segment.size += bytes.length
    segment.live.add(place)
    segment.liveBytes += bytes.length
    return place
  }

  /** @throws {RlenvError} RLENV_FILE_INVALID when the entry is not what was written. */
  read({ segment, offset, length, checksum }: Place): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    let got = 0
    try {
      const file = openSync(segment.path, 'r')
      try {
        for (let part = -1; part !== 0 && got < length; got += part) {
          part = readSync(file, bytes, got, length - got, offset + got)
        }
      } finally {
        closeSync(file)
      }
    } catch (cause) {
      throw unreadable(segment.path, messageOf(cause), cause)
    }
    if (got === length && crc32(bytes) === checksum) return bytes
    throw unreadable(segment.path, `the ${length} bytes at ${offset} are not those that were written`)
  }

  /** The entry is not read again. */
  free(place: Place): void {
    const { segment } = place
    if (!segment.live.delete(place)) return
    segment.liveBytes -= place.length
    if (segment !== this.#newest?.segment) this.#tidy(segment)
  }

  /** Removes everything that can be removed; the rest is for whoever uses the folder next. */
  close(): void {
    this.#seal()
    this.#segments.clear()
    try {
      rmSync(this.#directory, { recursive: true, force: true, maxRetries: 2 })
    } catch {
      // What the entries were kept for has ended, and must not fail over leftovers.
    }
  }

  #writable(): { readonly segment: Segment; readonly file: number } {
    for (;;) {
      this.#newest ??= this.#open()
      const { segment } = this.#newest
      if (segment.size < this.#segmentBytes) return this.#newest
      this.#seal()
      this.#tidy(segment)
    }
  }

  #open(): { readonly segment: Segment; readonly file: number } {
    const path = join(this.#directory, `${++this.#opened}.segment`)
    try {
      mkdirSync(this.#directory, { recursive: true })
      const segment = { path, size: 0, live: new Set<Place>(), liveBytes: 0 }
      const file = openSync(path, 'w')
      this.#segments.add(segment)
      return { segment, file }
    } catch (cause) {
      throw writeError(path, cause)
    }
  }

  #seal(): void {
    if (this.#newest === null) return
    const { file } = this.#newest
    this.#newest = null
    closeSync(file)
  }

  #tidy(segment: Segment): void {
    if (segment.live.size > 0 && segment.liveBytes < segment.size / 2) this.#compact(segment)
    if (segment.live.size === 0) this.#remove(segment)
  }

  /** Only saves space: where the disk takes no more or an entry is damaged, the segment stays as it is. */
  #compact(segment: Segment): void {
    for (const place of [...segment.live].sort((a, b) => a.offset - b.offset)) {
      const moved = this.#moved(place)
      if (moved === null) return
      segment.live.delete(place)
      segment.liveBytes -= place.length
      moved.segment.live.delete(moved)
      place.segment = moved.segment
      place.offset = moved.offset
      place.segment.live.add(place)
    }
  }

  #moved(place: Place): Place | null {
    try {
      return this.append(this.read(place))
    } catch {
      return null
    }
  }

  #remove(segment: Segment): void {
    this.#segments.delete(segment)
    rmSync(segment.path, { force: true })
  }
}

function unreadable(path: string, why: string, cause?: unknown): RlenvError {
  return new RlenvError(`what was moved from memory to ${path} cannot be read back: ${why}`, {
    code: 'RLENV_FILE_INVALID',
    fix: 'Leave the folder "spilled" of a run alone while the run goes on; resume the run from its last checkpoint.',
    cause,
  })
}
