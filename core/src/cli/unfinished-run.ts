import { join, resolve } from 'node:path'
import { z } from 'zod'
import { RlenvError } from '../errors/rlenv-error.ts'
import { configHash } from '../runs/run-folder.ts'
import { lastSettings, type RunMetadata, readMetadata } from '../runs/run-metadata.ts'
import { type FoundRun, hasEndedWell, runsBelow } from '../runs/runs-below.ts'

/** How a run's configuration was loaded at the last start that began. */
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
  const { config_file: file = null, set = [] } = detailsSchema.parse(lastSettings(metadata).details)
  return { directory, file, set }
}

/** Which runs are looked at. */
export interface RunSearch {
  /** Folder that all runs lie in. */
  readonly root: string
  /** The name that the configuration gives its runs; those of other names are left alone. */
  readonly name: string
  /** Only runs of this configuration file. */
  readonly file?: string | undefined
}

/**
 * The training run of a name that began last and has not ended well.
 *
 * @throws {RlenvError} RLENV_RESUME_REFUSED when there is none.
 */
export async function latestUnfinishedRun({ root, name, file }: RunSearch): Promise<RunOrigin> {
  const folder = join(root, 'train')
  const all = (await runsBelow(folder)).filter((run) => file === undefined || isOf(file, run))
  const runs = all.filter((run) => isCalled(name, run))
  const latest = runs.find((run) => !hasEndedWell(run))
  if (latest !== undefined) return runOrigin(latest.directory)
  const other = all.find((run) => !hasEndedWell(run))
  throw nothingToResume(`no training run called "${name}" below ${folder} is unfinished`, runs, other)
}

/** Whose run is to go on. */
export interface ConfigurationAtHand {
  /** Folder that all runs lie in. */
  readonly root: string
  readonly name: string
  readonly file: string | null
  /** The resolved configuration with its plugins. */
  readonly config: unknown
}

/**
 * The training run of its own name that a configuration goes on with: an unfinished one before one that has ended and
 * may get further steps, one with the very same settings before others of the same file, and the latest among equals.
 *
 * @throws {RlenvError} RLENV_RESUME_REFUSED when there is none.
 */
export async function latestRunOf({ root, name, file, config }: ConfigurationAtHand): Promise<string> {
  const folder = join(root, 'train')
  const hash = configHash(config)
  const isSame = ({ metadata }: FoundRun) => lastSettings(metadata).config_hash === hash
  const all = (await runsBelow(folder)).filter((run) => isSame(run) || isOf(file, run))
  const runs = all.filter((run) => isCalled(name, run))
  const unfinished = runs.filter((run) => !hasEndedWell(run))
  const latest = unfinished.find(isSame) ?? unfinished[0] ?? runs.find(isSame) ?? runs[0]
  if (latest !== undefined) return latest.directory
  const whose = `called "${name}" of ${file ?? 'this configuration'}`
  const other = all.find((run) => !hasEndedWell(run)) ?? all[0]
  throw nothingToResume(`no training run ${whose} is below ${folder}`, runs, other)
}

const isCalled = (name: string, { metadata }: FoundRun) => metadata.name === name

const isOf = (file: string | null, { metadata }: FoundRun) => fileOf(metadata) === file

function fileOf(metadata: RunMetadata): string | null {
  return detailsSchema.safeParse(lastSettings(metadata).details).data?.config_file ?? null
}

function nothingToResume(problem: string, ended: readonly FoundRun[], other?: FoundRun): RlenvError {
  const start = 'Start one with "rlenv train", or name the folder of a run.'
  const extend =
    'Start one with "rlenv train", or give one that has ended more steps: "rlenv train --resume --steps N".'
  const advice = ended.length === 0 ? start : extend
  const named = other && ` For the one called "${other.metadata.name}": "rlenv resume ${other.directory}".`
  return new RlenvError(problem, { code: 'RLENV_RESUME_REFUSED', fix: `${advice}${named ?? ''}` })
}
