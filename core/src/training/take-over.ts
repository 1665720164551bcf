import { isRlenvError, RlenvError } from '../errors/rlenv-error.ts'
import type { CollectionOrigin } from './collection-ahead.ts'
import { loadCheckpoint, type SavedCheckpoint } from './training-checkpoint.ts'
import { assertSameRun, judgesAlike, runDifferences } from './training-fingerprint.ts'
import type { TrainingProgress } from './training-progress.ts'
import { snapshotOf, type TrainingRun, type TrainingSession } from './training-session.ts'

/**
 * Sets a run to its latest checkpoint, if there is one. What has changed is refused; when it is forced, the sampler and
 * what the groups chain remembers begin anew where they fit no more, and all of that is written down.
 *
 * @throws {RlenvError} RLENV_RESUME_REFUSED, RLENV_CHECKPOINT_INVALID
 */
export async function takeOver(run: TrainingRun, session: TrainingSession, progress: TrainingProgress): Promise<void> {
  const saved = await loadCheckpoint(run.records.checkpointDirectory)
  if (saved === null) return
  const { checkpoint, learnerDirectory, pinned } = saved
  const differences = runDifferences(checkpoint.fingerprint, progress.fingerprint)
  if (run.force !== true) assertSameRun(differences)
  assertLongEnough(checkpoint.finishedSteps, run.config.training.steps)
  await session.learner.load(learnerDirectory)
  if (differences.length === 0) {
    progress.restore(checkpoint, session.learner, await restored(saved, session))
    session.pins.restore(pinned)
    return
  }
  const alike = judgesAlike(checkpoint.fingerprint, progress.fingerprint)
  const { origin, anew } = await restoredByForce(saved, session, alike)
  progress.restore(checkpoint, session.learner, origin)
  session.pins.restore(pinned)
  await writeDifferences(run, checkpoint.finishedSteps, differences, anew)
}

function assertLongEnough(finishedSteps: number, steps: number): void {
  if (finishedSteps <= steps) return
  throw new RlenvError(`the run has finished ${finishedSteps} steps, more than training.steps = ${steps}`, {
    code: 'RLENV_RESUME_REFUSED',
    fix: `Set training.steps to ${finishedSteps} or more, as with "--set training.steps=N".`,
  })
}

async function restored(saved: SavedCheckpoint, session: TrainingSession): Promise<CollectionOrigin> {
  const { frontier, sampler } = saved.checkpoint
  session.sampler.restore(sampler)
  const memory = await saved.readMemory(session.buffer)
  session.memory.restore(memory)
  return { frontier, sampler, memory, release: session.buffer.hold() }
}

/** @param alike - whether what was remembered would be judged as it was; otherwise it is forgotten. */
async function restoredByForce(
  { checkpoint, readMemory }: SavedCheckpoint,
  session: TrainingSession,
  alike: boolean,
): Promise<{ readonly origin: CollectionOrigin; readonly anew: readonly string[] }> {
  const anew: string[] = []
  const orAnew = async (what: string, restore: () => void | Promise<void>) => {
    try {
      await restore()
    } catch (cause) {
      if (!isRlenvError(cause) || cause.code !== 'RLENV_CHECKPOINT_INVALID') throw cause
      anew.push(`the ${what} begins anew: ${cause.message}`)
    }
  }
  await orAnew('sampler', () => session.sampler.restore(checkpoint.sampler))
  const restoreMemory = async () => session.memory.restore(await readMemory(session.buffer))
  if (alike) await orAnew('memory of the groups chain', restoreMemory)
  else anew.push('the memory of the groups chain begins anew: its rollouts would be played or judged otherwise now')
  if (anew.some((what) => what.startsWith('the memory'))) session.memory.restore(null)
  return { origin: { frontier: checkpoint.frontier, ...snapshotOf(session) }, anew }
}

/** A run that goes on changed says so, beside its results. */
async function writeDifferences(
  { records, events }: TrainingRun,
  finishedSteps: number,
  differences: readonly string[],
  anew: readonly string[],
): Promise<void> {
  const message = `the run goes on after ${finishedSteps} steps although ${[...differences, ...anew].join('; ')}`
  events({ type: 'warning', message, plugin: null, hook: null })
  const note = { differences, ...(anew.length === 0 ? {} : { anew }) }
  await records.file(`forced-after-step_${finishedSteps}.json`, `${JSON.stringify(note, null, 2)}\n`)
}
