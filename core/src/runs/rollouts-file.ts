import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder } from '../artifacts/make-folder.ts'
import { writeError } from '../errors/file-error.ts'
import type { JudgedTrajectory, TrajectoryGroup } from '../vocabulary/trajectory.ts'
import { decidedLine } from './decided-line.ts'
import { traceLine } from './trace-line.ts'

/** Characters gathered before they are written. */
const chunkCharacters = 1 << 20

/**
 * A traces file that is written group by group and appears whole or not at all: into a temporary file beside it, flushed
 * once, then renamed. Holds no more than a chunk of it in memory. Cancelled members leave no line.
 *
 * One call at a time, and one writer per path: what an earlier one that was killed left behind is overwritten.
 */
export class RolloutsFile {
  readonly #path: string
  readonly #standing: ReadonlyMap<string, JudgedTrajectory>
  readonly #redact: (text: string) => string
  #handle: FileHandle | null
  #lines: string[] = []
  #characters = 0

  private constructor(
    path: string,
    handle: FileHandle,
    standing: ReadonlyMap<string, JudgedTrajectory>,
    redact: (text: string) => string,
  ) {
    this.#path = path
    this.#redact = redact
    this.#handle = handle
    this.#standing = standing
  }

  /**
   * @param standing - groups that another file of the same step holds; their members get the line of what was decided.
   * @param redact - takes out of the lines what may not be written.
   * @throws {RlenvError} RLENV_DISK_FULL, RLENV_OUTPUT_UNWRITABLE
   */
  static async open(
    path: string,
    standing: readonly TrajectoryGroup[] = [],
    redact = (text: string) => text,
  ): Promise<RolloutsFile> {
    try {
      await makeFolder(dirname(path))
      const members = standing.flatMap((group) => writable(group))
      const byId = new Map(members.map((member) => [member.trajectory.id, member]))
      return new RolloutsFile(path, await open(temporaryOf(path), 'w'), byId, redact)
    } catch (cause) {
      throw writeError(path, cause)
    }
  }

  /** @throws {RlenvError} RLENV_DISK_FULL, RLENV_OUTPUT_UNWRITABLE; then discard it. */
  async add(group: TrajectoryGroup): Promise<void> {
    for (const member of writable(group)) {
      const line = `${JSON.stringify(this.#stands(member) ? decidedLine(member) : traceLine(member))}\n`
      this.#lines.push(line)
      this.#characters += line.length
      if (this.#characters >= chunkCharacters) await this.#write()
    }
  }

  /**
   * Puts the file in its place.
   *
   * @throws {RlenvError} RLENV_DISK_FULL, RLENV_OUTPUT_UNWRITABLE; whatever stood there before is untouched then.
   */
  async finish(): Promise<void> {
    await this.#write()
    try {
      await this.#handle?.datasync()
      await this.#close()
      await rename(temporaryOf(this.#path), this.#path)
    } catch (cause) {
      throw writeError(this.#path, cause)
    }
  }

  /** Leaves nothing behind, unless it is finished. */
  async discard(): Promise<void> {
    await this.#close()
    await rm(temporaryOf(this.#path), { force: true })
  }

  /** A member that a groups plugin gave another trajectory or verdict is not what stands in the other file. */
  #stands({ trajectory, verdict }: JudgedTrajectory): boolean {
    const other = this.#standing.get(trajectory.id)
    return other !== undefined && other.trajectory === trajectory && other.verdict === verdict
  }

  async #write(): Promise<void> {
    const chunk = this.#redact(this.#lines.join(''))
    this.#lines = []
    this.#characters = 0
    try {
      await this.#handle?.appendFile(chunk)
    } catch (cause) {
      throw writeError(this.#path, cause)
    }
  }

  async #close(): Promise<void> {
    const handle = this.#handle
    this.#handle = null
    await handle?.close()
  }
}

/** Writes groups that are all there. @throws {RlenvError} RLENV_DISK_FULL, RLENV_OUTPUT_UNWRITABLE */
export async function writeRollouts(
  path: string,
  groups: readonly TrajectoryGroup[],
  standing: readonly TrajectoryGroup[] = [],
  redact = (text: string) => text,
): Promise<void> {
  const file = await RolloutsFile.open(path, standing, redact)
  try {
    for (const group of groups) await file.add(group)
    await file.finish()
  } catch (error) {
    await file.discard().catch(() => undefined)
    throw error
  }
}

const temporaryOf = (path: string) => join(dirname(path), `.${basename(path)}.tmp`)

function writable({ members }: TrajectoryGroup): readonly JudgedTrajectory[] {
  return members.filter(({ outcome }) => outcome.kind !== 'cancelled')
}
