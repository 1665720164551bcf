import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { namesIn } from '../../runs/names-in.ts'
import { isBeingWritten } from '../../runs/run-lock.ts'
import { lastSettings } from '../../runs/run-metadata.ts'
import { type FoundRun, runsBelow } from '../../runs/runs-below.ts'
import { readJsonIfPresent } from '../../runs/step-files.ts'

/** One run of any command, as a list shows it. */
export interface ListedRun {
  readonly directory: string
  /** The command. */
  readonly kind: string
  /** ISO 8601, of the last start. */
  readonly startedAt: string
  /** Starts so far: the first and every resume. */
  readonly starts: number
  readonly status: 'done' | 'failed' | 'interrupted' | 'running' | 'killed'
  readonly seed: number | null
  /** Training steps that the last checkpoint holds, and those of the whole run; null outside training. */
  readonly steps: { readonly finished: number; readonly wanted: number } | null
  /** Held-out success, 0 to 1, sampled, after training; null when nobody can say. */
  readonly success: number | null
}

const configSchema = z.object({
  config: z.object({ seed: z.number(), training: z.object({ steps: z.number() }) }),
})
const rateSchema = z.object({ sampled: z.object({ pass1: z.object({ value: z.number().nullable() }) }) })
const summarySchema = z.object({ after: rateSchema.nullable() })

/** All runs below a folder of runs, those that were started or resumed last first. */
export async function listedRuns(root: string): Promise<readonly ListedRun[]> {
  const found: FoundRun[] = []
  for (const kind of await namesIn(root)) found.push(...(await runsBelow(join(root, kind))))
  const runs = await Promise.all(found.map(listedRun))
  return runs.sort((a, b) => (a.startedAt < b.startedAt ? 1 : a.startedAt > b.startedAt ? -1 : 0))
}

async function listedRun({ directory, metadata }: FoundRun): Promise<ListedRun> {
  const { kind, attempts } = metadata
  const resolved = configSchema.safeParse(await contentOf(directory, lastSettings(metadata).config)).data
  const summary = summarySchema.safeParse(await contentOf(directory, 'summary.json')).data
  const last = attempts.at(-1)
  const stopped = (await isBeingWritten(directory)) ? 'running' : 'killed'
  const wanted = resolved?.config.training.steps
  return {
    directory,
    kind,
    startedAt: last?.started_at ?? '',
    starts: attempts.length,
    status: last?.status ?? stopped,
    seed: resolved?.config.seed ?? null,
    steps: kind === 'train' && wanted !== undefined ? { finished: await savedSteps(directory), wanted } : null,
    success: summary?.after?.sampled.pass1.value ?? null,
  }
}

/** Null for what is not there, and for what is damaged: that costs the run some columns and no other run any. */
async function contentOf(directory: string, name: string): Promise<unknown> {
  return readJsonIfPresent(join(directory, name)).catch(() => null)
}

/** What the checkpoint holds that the run would go on from. */
async function savedSteps(directory: string): Promise<number> {
  const name = await readFile(join(directory, 'checkpoints', 'latest'), 'utf8').catch(() => '')
  return Number(/^step_(\d+)/.exec(name)?.[1] ?? 0)
}
