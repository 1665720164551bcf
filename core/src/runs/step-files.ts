import { readdir, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '../artifacts/make-folder.ts'
import { writeFileAtomic } from '../artifacts/write-file-atomic.ts'
import { errnoOf, writeError } from '../errors/file-error.ts'
import { readJsonl } from './read-jsonl.ts'

/** Whose rollouts: of a training step's groups all, or those that the algorithm got. */
export interface StepPlace {
  readonly step: number
  readonly split: 'train' | 'eval'
  readonly set: 'all' | 'effective'
}

/** `rollouts/step_<N>/<split>/<set>/traces.jsonl` below a run's folder. */
export function stepTracesPath(folder: string, { step, split, set }: StepPlace): string {
  return join(folder, 'rollouts', `step_${step}`, split, set, 'traces.jsonl')
}

/** `evaluations/step_<N>.json` below a run's folder, or `evaluation.json` when it belongs to no step. */
export function evaluationPath(folder: string, step: number | null): string {
  return step === null ? join(folder, 'evaluation.json') : join(folder, 'evaluations', `step_${step}.json`)
}

/**
 * Sets aside what belongs to steps after `finishedSteps` finished ones, so that a resumed run writes it again. Nothing is
 * deleted: it moves into `aside`, under the same names.
 */
export async function rewindSteps(folder: string, finishedSteps: number, aside: string): Promise<void> {
  await rewindRollouts(folder, finishedSteps, aside)
  for (const kind of ['evaluations', 'checkpoints']) {
    for (const name of await namesIn(join(folder, kind))) {
      if (stepOf(name) > finishedSteps) await moveAside(folder, join(kind, name), aside)
    }
  }
}

async function rewindRollouts(folder: string, finishedSteps: number, aside: string): Promise<void> {
  for (const name of await namesIn(join(folder, 'rollouts'))) {
    const step = stepOf(name)
    if (step > finishedSteps) await moveAside(folder, join('rollouts', name), aside)
    // Training step N follows the evaluation after N steps; both lie in the same folder.
    if (step === finishedSteps) await moveAside(folder, join('rollouts', name, 'train'), aside)
  }
}

const stepOf = (name: string) => Number(/^step_(\d+)/.exec(name)?.[1] ?? -1)

async function moveAside(folder: string, name: string, aside: string): Promise<void> {
  const target = join(aside, name)
  try {
    await makeFolder(dirname(target))
    await rename(join(folder, name), target)
  } catch (cause) {
    if (errnoOf(cause) !== 'ENOENT') throw writeError(target, cause)
  }
}

/** A line of `metrics.jsonl`. */
export type MetricsLine = Readonly<Record<string, number>>

/**
 * Whether a line of metrics stands when a run goes on after `finishedSteps`: lines of training steps before it, and
 * evaluations whose report is there.
 */
function stands(line: MetricsLine, finishedSteps: number, evaluated: ReadonlySet<number>): boolean {
  const step = line.step ?? 0
  const isEvaluation = Object.keys(line).some((name) => name.startsWith('eval/'))
  return isEvaluation ? step <= finishedSteps && evaluated.has(step) : step < finishedSteps
}

/** The same for `metrics.jsonl`, which is rewritten whole when lines fall. */
export async function rewindMetrics(folder: string, finishedSteps: number, aside: string): Promise<void> {
  const path = join(folder, 'metrics.jsonl')
  const evaluated = new Set((await namesIn(join(folder, 'evaluations'))).map(stepOf))
  const kept: string[] = []
  const fallen: string[] = []
  for await (const { value } of readJsonl(path)) {
    const line = value as MetricsLine
    const text = `${JSON.stringify(line)}\n`
    if (stands(line, finishedSteps, evaluated)) kept.push(text)
    else fallen.push(text)
  }
  if (fallen.length === 0) return
  await writeFileAtomic(join(aside, 'metrics.jsonl'), fallen.join(''))
  await writeFileAtomic(path, kept.join(''))
}

/** A JSON file; null when it is not there. */
export async function readJsonIfPresent(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return null
    throw cause
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort()
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return []
    throw writeError(folder, cause)
  }
}
