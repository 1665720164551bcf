import { join, resolve } from 'node:path'
import { contentHash } from '../determinism/content-hash.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { EvaluationSession } from '../evaluation/evaluation-session.ts'
import type { EnvironmentSplit } from '../evaluation/split-environments.ts'
import { namesIn } from '../runs/names-in.ts'
import { readMetadata } from '../runs/run-metadata.ts'
import { loadCheckpoint, type SavedCheckpoint } from '../training/training-checkpoint.ts'
import { trainingFingerprint } from '../training/training-fingerprint.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { Session } from './rlenv-command.ts'

/** Which weights a command plays with. */
export interface PolicyChoice {
  /** Folder of a training run. Default: the latest one with a checkpoint, the same plugins and the same environments. */
  readonly run?: string | undefined
  /** Use the weights as they are before any training. */
  readonly base: boolean
}

/** What weights are to be played on: the split that this configuration makes, and those of its environments that count. */
export interface PolicyUse {
  readonly split: EnvironmentSplit
  /** Environments that the weights must never have been trained on. */
  readonly unseen: readonly Environment[]
}

/**
 * Loads the learner's weights.
 *
 * @returns where they come from, in words.
 * @throws {RlenvError} RLENV_USAGE when the named run has no checkpoint, when every run of this name belongs to another
 *   configuration, or when a run was trained on what it must not have seen; RLENV_CHECKPOINT_INVALID
 */
export async function loadPolicy(
  session: Session,
  { learner, policy }: EvaluationSession,
  choice: PolicyChoice,
  use: PolicyUse,
): Promise<string> {
  if (learner === null) return `${policy.name}, as its plugin serves it`
  if (choice.base) return `${policy.name}, untrained`
  const found = choice.run === undefined ? await latestTrainingRun(session, use.split) : await namedRun(choice.run)
  if (found === null) return `${policy.name}, untrained`
  refuseSeen(found, use.unseen)
  await learner.load(found.saved.learnerDirectory)
  return `${policy.name} after ${found.saved.checkpoint.finishedSteps} steps, from ${found.folder}`
}

interface FoundRun {
  readonly folder: string
  readonly saved: SavedCheckpoint
}

async function namedRun(run: string): Promise<FoundRun> {
  const folder = resolve(run)
  const saved = await loadCheckpoint(join(folder, 'checkpoints'))
  if (saved !== null) return { folder, saved }
  throw new RlenvError(`${folder} holds no checkpoint`, {
    code: 'RLENV_USAGE',
    fix: 'Name the folder of a training run that has finished a step, or use --base.',
  })
}

/** The training run of this configuration that began last and has a checkpoint; null when no run has its name. */
async function latestTrainingRun({ config, pipeline }: Session, split: EnvironmentSplit): Promise<FoundRun | null> {
  const root = resolve(config.baseDirectory, config.output.directory, 'train')
  const { plugins, dataset } = trainingFingerprint(config, pipeline, split)
  const own = contentHash({ plugins, dataset })
  const runs: (FoundRun & { readonly began: string })[] = []
  let others = 0
  for (const name of (await namesIn(root)).filter((entry) => entry.startsWith(`${config.name}--`))) {
    const folder = join(root, name)
    const saved = await loadCheckpoint(join(folder, 'checkpoints'))
    if (saved === null) continue
    const { fingerprint } = saved.checkpoint
    const began = (await readMetadata(folder)).attempts[0]?.started_at ?? ''
    if (contentHash({ plugins: fingerprint.plugins, dataset: fingerprint.dataset }) !== own) others += 1
    else runs.push({ folder, saved, began })
  }
  const latest = runs.sort((a, b) => (a.began < b.began ? 1 : -1))[0]
  if (latest === undefined && others > 0) throw noRunOfItsOwn(config.name, others)
  return latest ?? null
}

function noRunOfItsOwn(name: string, others: number): RlenvError {
  const runs = others === 1 ? 'the one training run' : `all ${others} training runs`
  return new RlenvError(`${runs} called "${name}" had other plugins or other environments than this configuration`, {
    code: 'RLENV_USAGE',
    fix: 'Repeat the --set that it was trained with, run "rlenv train" first, name a run with --run, or use --base.',
  })
}

/** A success rate on environments that were trained on is not what "held out" says. */
function refuseSeen({ folder, saved }: FoundRun, unseen: readonly Environment[]): void {
  const { dataset } = saved.checkpoint.fingerprint
  const seen = unseen.filter(({ id }) => dataset[id]?.startsWith('train '))
  if (seen.length === 0) return
  throw new RlenvError(
    `${folder} was trained on ${seen.length} of the ${unseen.length} environments that are to be held out, such as ${seen[0]?.id}`,
    {
      code: 'RLENV_USAGE',
      fix: 'Evaluate with the seed, environments and evaluation.heldOutShare of that run, or say --split all.',
    },
  )
}
