import { z } from 'zod'
import type { JudgedTrajectory } from '../vocabulary/trajectory.ts'
import { type JsonlEnd, lineInvalid, readJsonl } from './read-jsonl.ts'
import { judgedFromTrace } from './trace-line.ts'

/**
 * The judged trajectories of a traces file, one at a time. Half a last line is left out; the generator's return value
 * says so.
 *
 * @throws {RlenvError} RLENV_FILE_INVALID with the line that is not what was written.
 */
export async function* readTraces(path: string): AsyncGenerator<JudgedTrajectory, JsonlEnd, void> {
  const records = readJsonl(path)
  for (;;) {
    const next = await records.next()
    if (next.done) return next.value
    yield parseTrace(path, next.value.line, next.value.value)
  }
}

function parseTrace(path: string, line: number, value: unknown): JudgedTrajectory {
  try {
    return judgedFromTrace(value)
  } catch (cause) {
    if (!(cause instanceof z.ZodError)) throw cause
    const issue = cause.issues[0]
    throw lineInvalid(path, line, `no trace: ${issue?.path.join('.')}: ${issue?.message}`, cause)
  }
}
