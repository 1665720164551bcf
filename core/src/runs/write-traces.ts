import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeError } from '../artifacts/file-error.ts'
import { temporaryPath } from '../artifacts/write-file-atomic.ts'
import type { JudgedTrajectory } from '../vocabulary/trajectory.ts'
import { traceLine } from './trace-line.ts'

/** Characters gathered before they are written. */
const chunkCharacters = 1 << 20

/**
 * Writes a whole traces file: into a temporary file, piece by piece, flushed once, then renamed. Either all of it is
 * there afterwards or what was there before.
 *
 * @throws {RlenvError} RLENV_DISK_FULL, RLENV_OUTPUT_UNWRITABLE
 */
export async function writeTraces(path: string, judged: Iterable<JudgedTrajectory>): Promise<void> {
  const temporary = temporaryPath(path)
  try {
    await mkdir(dirname(path), { recursive: true })
    const file = await open(temporary, 'wx')
    try {
      for (const chunk of chunksOf(judged)) await file.appendFile(chunk)
      await file.datasync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw writeError(path, cause)
  }
}

function* chunksOf(judged: Iterable<JudgedTrajectory>): Generator<string> {
  let lines: string[] = []
  let characters = 0
  for (const member of judged) {
    const line = `${JSON.stringify(traceLine(member))}\n`
    lines.push(line)
    characters += line.length
    if (characters < chunkCharacters) continue
    yield lines.join('')
    lines = []
    characters = 0
  }
  if (lines.length > 0) yield lines.join('')
}
