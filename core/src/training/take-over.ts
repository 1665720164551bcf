import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { isRlenvError, RlenvError } from '../errors/rlenv-error.ts'
import type { CollectionOrigin } from './collection-ahead.ts'
import { loadCheckpoint, type SavedCheckpoint } from './training-checkpoint.ts'
import { assertSameRun, judgesAlike, runDifferences } from './training-fingerprint.ts'
import type { TrainingProgress } from './training-progress.ts'
import { snapshotOf, type TrainingRun, type TrainingSession } from './training-session.ts'

/**
 * Sets a run to its latest checkpoint, if there is one. What has changed is refused; when it is forced, the sampler and
 * what the groups chain remembers begin anew where they fit no more, and all of that is written down. What was forced
 * once is not refused until there is another checkpoint. The run has the settings of this start after that.
 *
 * @throws {RlenvError} RLENV_RESUME_REFUSED, RLENV_CHECKPOINT_INVALID
 */
export async function takeOver(run: TrainingRun, session: TrainingSession, progress: TrainingProgress): Promise<void> {
  const saved = await loadCheckpoint(run.records.checkpointDirectory)
  if (saved !== null) await restoreAll(saved, run, session, progress)
  await run.records.begun()
}

async function restoreAll(
  saved: SavedCheckpoint,
  run: TrainingRun,
  session: TrainingSession,
  progress: TrainingProgress,
): Promise<void> {
  const { checkpoint, learnerDirectory, pinned } = saved
  const differences = runDifferences(checkpoint.fingerprint, progress.fingerprint)
  const isForced = run.force === true || (await wereForced(run, checkpoint.finishedSteps, differences))
  if (!isForced) assertSameRun(differences)
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

const noteName = (finishedSteps: number) => `forced-after-step_${finishedSteps}.json`

const noteSchema = z.object({ differences: z.array(z.string()) })

/** Whether an earlier start, stopped before its first checkpoint, was let go on from this one with the same changes. */
async function wereForced(
  { records }: TrainingRun,
  finishedSteps: number,
  differences: readonly string[],
): Promise<boolean> {
  const reading = readFile(join(records.directory, noteName(finishedSteps)), 'utf8')
  const note = await reading.then((text) => noteSchema.parse(JSON.parse(text))).catch(() => null)
  return isDeepStrictEqual(note?.differences, differences)
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
  await records.file(noteName(finishedSteps), `${JSON.stringify(note, null, 2)}\n`)
}
