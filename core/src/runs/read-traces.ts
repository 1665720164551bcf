import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { JudgedTrajectory } from '../vocabulary/trajectory.ts'
import { type DecidedLine, decidedLineSchema } from './decided-line.ts'
import { type JsonlEnd, lineInvalid, readJsonl } from './read-jsonl.ts'
import { judgedFromTrace } from './trace-line.ts'

/**
 * The judged trajectories of a traces file, one at a time. Half a last line is left out; the generator's return value
 * says so. Of a line in `effective` that says only what was decided, the rest comes from `all` of the same step.
 *
 * @throws {RlenvError} RLENV_FILE_INVALID with the line that is not what was written, or whose rollout `all` lacks.
 */
export async function* readTraces(path: string): AsyncGenerator<JudgedTrajectory, JsonlEnd, void> {
  const records = readJsonl(path)
  const all = new RolloutLookup(join(dirname(path), '..', 'all', 'traces.jsonl'))
  try {
    for (;;) {
      const next = await records.next()
      if (next.done) return next.value
      const { value, line } = next.value
      const decided = decidedLineSchema.safeParse(value)
      yield decided.success ? await wholeOf(decided.data, all, { path, line }) : parseTrace(path, line, value)
    }
  } finally {
    await all.close()
    await records.return({ lines: 0, tornBytes: 0 })
  }
}

interface LinePlace {
  readonly path: string
  readonly line: number
}

async function wholeOf(
  { id, reward, outcome, replayed }: DecidedLine,
  all: RolloutLookup,
  { path, line }: LinePlace,
): Promise<JudgedTrajectory> {
  const found = await all.find(id)
  if (found === null) throw lineInvalid(path, line, `the rollout ${id} is not in ${all.path}`)
  const { trajectory, verdict } = found
  return { trajectory, outcome, verdict, reward, ...(replayed !== undefined && { replayed }) }
}

/** Rollouts of a traces file by id, read as far as needed; they are asked for mostly in the order of the file. */
class RolloutLookup {
  readonly path: string
  readonly #passed = new Map<string, JudgedTrajectory>()
  #rest: AsyncGenerator<JudgedTrajectory, JsonlEnd, void> | null = null

  constructor(path: string) {
    this.path = path
  }

  async find(id: string): Promise<JudgedTrajectory | null> {
    this.#rest ??= readTraces(this.path)
    while (!this.#passed.has(id)) {
      const next = await this.#rest.next()
      if (next.done) return null
      this.#passed.set(next.value.trajectory.id, next.value)
    }
    return this.#passed.get(id) ?? null
  }

  async close(): Promise<void> {
    await this.#rest?.return({ lines: 0, tornBytes: 0 })
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
