import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The folder of the only run below a root. */
export async function soleRun(root: string): Promise<string> {
  const [only, ...others] = await readdir(join(root, 'train'))
  if (only === undefined || others.length > 0) throw new Error(`${root} holds ${1 + others.length} runs`)
  return join(root, 'train', only)
}

async function jsonLines<Line>(path: string): Promise<readonly Line[]> {
  const text = existsSync(path) ? await readFile(path, 'utf8') : ''
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
}

/** `metrics.jsonl` of the only run. */
export async function metricsOf(root: string): Promise<readonly Readonly<Record<string, number>>[]> {
  return jsonLines(join(await soleRun(root), 'metrics.jsonl'))
}

/** `timings.jsonl` of the only run. */
export async function timingsOf(
  root: string,
): Promise<readonly { readonly id: string; readonly attempt: number; readonly duration_ms: number }[]> {
  return jsonLines(join(await soleRun(root), 'timings.jsonl'))
}

/** The line of a training step. */
export async function stepLine(root: string, step = 0): Promise<Readonly<Record<string, number>> | undefined> {
  return (await metricsOf(root)).find((line) => line.step === step && 'rollouts/generated' in line)
}

export interface TraceSummary {
  readonly id: string
  readonly task_id: string
  readonly env: string
}

/** Traces of a step, for example `tracesOf(root, 0, 'train/all')`. */
export async function tracesOf(root: string, step: number, set: string): Promise<readonly TraceSummary[]> {
  return jsonLines(join(await soleRun(root), 'rollouts', `step_${step}`, set, 'traces.jsonl'))
}

/** Draw ids of a step's groups, in order. */
export async function drawsOf(root: string, step: number, set: string): Promise<readonly string[]> {
  return [...new Set((await tracesOf(root, step, set)).map(({ id }) => id.split('/')[0]!))]
}

/** The weights of the newest checkpoint, as text. */
async function savedWeights(root: string): Promise<string> {
  const checkpoints = join(await soleRun(root), 'checkpoints')
  const latest = (await readFile(join(checkpoints, 'latest'), 'utf8')).trim()
  return readFile(join(checkpoints, latest, 'learner', 'weights.json'), 'utf8')
}

/** Every result that a run leaves behind, by file name; without logs, which tell of interruptions. */
export async function remains(root: string): Promise<Readonly<Record<string, string>>> {
  const run = await soleRun(root)
  const names = (await readdir(run, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(run.length + 1))
    .filter((name) => /^(rollouts|evaluations)|^(metrics\.jsonl|curve\.svg|report\.html)$/.test(name))
  const files = await Promise.all(names.sort().map(async (name) => [name, await readFile(join(run, name), 'utf8')]))
  return { ...Object.fromEntries(files), weights: await savedWeights(root) }
}
