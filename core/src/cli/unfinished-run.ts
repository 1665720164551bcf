import { join, resolve } from 'node:path'
import { z } from 'zod'
import { RlenvError } from '../errors/rlenv-error.ts'
import { namesIn } from '../runs/names-in.ts'
import { type RunMetadata, readMetadata } from '../runs/run-metadata.ts'

/** How a run's configuration was loaded. */
export interface RunOrigin {
  readonly directory: string
  /** The configuration file; null when the run does not say. */
  readonly file: string | null
  /** Words of `--set`. */
  readonly set: readonly string[]
}

const detailsSchema = z.object({ config_file: z.string().nullable().optional(), set: z.array(z.string()).optional() })

/** @throws {RlenvError} RLENV_RESUME_REFUSED when the folder holds no training run. */
export async function runOrigin(folder: string): Promise<RunOrigin> {
  const directory = resolve(folder)
  const metadata = await readMetadata(directory)
  if (metadata.kind !== 'train') {
    throw new RlenvError(`${directory} is a run of "rlenv ${metadata.kind}", which cannot be resumed`, {
      code: 'RLENV_RESUME_REFUSED',
      fix: 'Name the folder of a training run.',
    })
  }
  const { config_file: file = null, set = [] } = detailsSchema.parse(metadata.details)
  return { directory, file, set }
}

/**
 * The training run below a folder of runs that began last and has not ended well.
 *
 * @throws {RlenvError} RLENV_RESUME_REFUSED when there is none.
 */
export async function latestUnfinishedRun(root: string): Promise<RunOrigin> {
  const folder = join(root, 'train')
  const runs: { readonly directory: string; readonly began: string }[] = []
  for (const name of await namesIn(folder)) {
    const directory = join(folder, name)
    const metadata = await readMetadata(directory)
    const last = metadata.attempts.at(-1)
    if (last !== undefined && last.status !== 'done') runs.push({ directory, began: beginOf(metadata) })
  }
  const latest = runs.sort((a, b) => (a.began < b.began ? 1 : -1))[0]
  if (latest !== undefined) return runOrigin(latest.directory)
  throw new RlenvError(`no training run below ${folder} is unfinished`, {
    code: 'RLENV_RESUME_REFUSED',
    fix: 'Name the folder of a run, or start one with "rlenv train".',
  })
}

const beginOf = ({ attempts }: RunMetadata): string => attempts.at(-1)?.started_at ?? ''
