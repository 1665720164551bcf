import { isRlenvError, RlenvError } from '../errors/rlenv-error.ts'
import type { CollectionOrigin } from './collection-ahead.ts'
import { loadCheckpoint, type SavedCheckpoint } from './training-checkpoint.ts'
import { assertSameRun, judgesAlike, runDifferences } from './training-fingerprint.ts'
import type { TrainingProgress } from './training-progress.ts'
import type { TrainingRun, TrainingSession } from './training-session.ts'

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
    progress.restore(checkpoint, session.learner, restored(saved, session))
    session.pins.restore(pinned)
    return
  }
  const alike = judgesAlike(checkpoint.fingerprint, progress.fingerprint)
  const { origin, anew } = restoredByForce(saved, session, alike)
  progress.restore(checkpoint, session.learner, origin)
  session.pins.restore(pinned)
  await writeDifferences(run, checkpoint.finishedSteps, differences, anew)
}

function assertLongEnough(finishedSteps: number, steps: number): void {
  if (finishedSteps <= steps) return
  throw new RlenvError(`the run has finished ${finishedSteps} steps, more than training.steps = ${steps}`, {
    code: 'RLENV_RESUME_REFUSED',
    fix: `Set training.steps to ${finishedSteps} or more.`,
  })
}

function restored({ checkpoint, memory }: SavedCheckpoint, session: TrainingSession): CollectionOrigin {
  session.sampler.restore(checkpoint.sampler)
  session.memory.restore(memory)
  return { frontier: checkpoint.frontier, sampler: checkpoint.sampler, memory }
}

/** @param alike - whether what was remembered would be judged as it was; otherwise it is forgotten. */
function restoredByForce(
  { checkpoint, memory }: SavedCheckpoint,
  session: TrainingSession,
  alike: boolean,
): { readonly origin: CollectionOrigin; readonly anew: readonly string[] } {
  const anew: string[] = []
  const orAnew = (what: string, restore: () => void) => {
    try {
      restore()
    } catch (cause) {
      if (!isRlenvError(cause) || cause.code !== 'RLENV_CHECKPOINT_INVALID') throw cause
      anew.push(`the ${what} begins anew: ${cause.message}`)
    }
  }
  orAnew('sampler', () => session.sampler.restore(checkpoint.sampler))
  if (alike) orAnew('memory of the groups chain', () => session.memory.restore(memory))
  else anew.push('the memory of the groups chain begins anew: its rollouts would be played or judged otherwise now')
  if (anew.some((what) => what.startsWith('the memory'))) session.memory.restore(null)
  const now = { sampler: session.sampler.state(), memory: session.memory.state() }
  return { origin: { frontier: checkpoint.frontier, ...now }, anew }
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
