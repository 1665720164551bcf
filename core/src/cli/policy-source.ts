import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { errnoOf } from '../errors/file-error.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { EvaluationSession } from '../evaluation/evaluation-session.ts'
import { readMetadata } from '../runs/run-metadata.ts'
import { loadCheckpoint } from '../training/training-checkpoint.ts'
import type { Session } from './rlenv-command.ts'

/** Which weights a command plays with. */
export interface PolicyChoice {
  /** Folder of a training run. Default: the latest one with this configuration's name that has a checkpoint. */
  readonly run?: string | undefined
  /** Use the weights as they are before any training. */
  readonly base: boolean
}

/**
 * Loads the learner's weights.
 *
 * @returns where they come from, in words.
 * @throws {RlenvError} RLENV_USAGE when the named run has no checkpoint; RLENV_CHECKPOINT_INVALID
 */
export async function loadPolicy(
  session: Session,
  { learner, policy }: EvaluationSession,
  choice: PolicyChoice,
): Promise<string> {
  if (learner === null) return `${policy.name}, as its plugin serves it`
  const run = choice.run === undefined ? null : resolve(choice.run)
  const folder = run ?? (choice.base ? null : await latestTrainingRun(session))
  if (folder === null) return `${policy.name}, untrained`
  const saved = await loadCheckpoint(join(folder, 'checkpoints'))
  if (saved === null) {
    throw new RlenvError(`${folder} holds no checkpoint`, {
      code: 'RLENV_USAGE',
      fix: 'Name the folder of a training run that has finished a step, or use --base.',
    })
  }
  await learner.load(saved.learnerDirectory)
  return `${policy.name} after ${saved.checkpoint.finishedSteps} steps, from ${folder}`
}

/** The training run of this name that began last and has a checkpoint; null when there is none. */
async function latestTrainingRun({ config }: Session): Promise<string | null> {
  const root = resolve(config.baseDirectory, config.output.directory, 'train')
  const runs: { folder: string; began: string }[] = []
  for (const name of (await namesIn(root)).filter((entry) => entry.startsWith(`${config.name}--`))) {
    const folder = join(root, name)
    if ((await loadCheckpoint(join(folder, 'checkpoints'))) === null) continue
    runs.push({ folder, began: (await readMetadata(folder)).attempts[0]?.started_at ?? '' })
  }
  return runs.sort((a, b) => (a.began < b.began ? 1 : -1))[0]?.folder ?? null
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort()
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return []
    throw cause
  }
}
