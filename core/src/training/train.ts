import { RandomStream } from '../determinism/random-stream.ts'
import { isRlenvError, messageOf, RlenvError } from '../errors/rlenv-error.ts'
import { assertAlive, streakWarning } from './dead-steps.ts'
import { type OpenedTraining, openTrainingRun } from './open-training-run.ts'
import { optimizeStep } from './optimize-step.ts'
import { freshGroups } from './stale-groups.ts'
import { hasGradient } from './step-metrics.ts'
import { pruneCheckpoints } from './training-checkpoint.ts'
import type { TrainingReport } from './training-report.ts'
import type { TrainingRun } from './training-session.ts'

/**
 * The whole of training: draw, roll out, filter, score, learn, publish, write down; evaluate and save in between.
 *
 * A signal cancels what is being rolled out, lets a learner that is at work finish its step, saves the last finished
 * step and ends with RLENV_INTERRUPTED; a resumed run then trains on the same draws as one that was never stopped.
 *
 * @throws {RlenvError} RLENV_INTERRUPTED, RLENV_DEAD_RUN, RLENV_FAILURE_SHARE, RLENV_SAMPLER_INVALID,
 *   RLENV_RESUME_REFUSED, RLENV_CHECKPOINT_INVALID, RLENV_HOOK_EMPTY, RLENV_GROUP_TOO_SMALL; what a plugin throws.
 */
export async function train(run: TrainingRun, signal: AbortSignal): Promise<TrainingReport> {
  const opened = await openTrainingRun(run, signal)
  const { session, progress, evaluations, activity } = opened
  try {
    activity.begin('waits for the evaluation')
    await evaluations.after(progress.finishedSteps, isOver(opened), signal)
    await saveIfNew(opened)
    if (run.resume && isOver(opened)) {
      session.log(`all ${progress.finishedSteps} steps of this run are finished; nothing is left to train`)
    }
    while (!isOver(opened)) {
      await trainStep(opened)
      activity.begin('waits for the evaluation')
      await evaluations.after(progress.finishedSteps, isOver(opened), signal)
      if (isCheckpointDue(opened)) await saveIfNew(opened)
    }
    return await finishRun(opened)
  } catch (cause) {
    await saveIfNew(opened).catch((error: unknown) => {
      session.log(`the last finished step could not be saved: ${messageOf(error)}`)
    })
    throw signal.aborted ? interrupted(run, progress.finishedSteps, cause) : cause
  } finally {
    await opened.close()
  }
}

/** One step, from the draw to published weights. */
async function trainStep({ run, session, progress, ahead, activity }: OpenedTraining): Promise<void> {
  const { algorithm, learner, pins } = session
  const { config, clock } = run
  const { maxStaleness } = config.training
  const step = progress.finishedSteps
  const waitingSince = clock.now()
  ahead.advance(step)
  activity.begin(`waits for the rollouts of step ${step}`)
  const { waiting, position, recorder } = await ahead.take(step)
  const { groups, ...tally } = waiting
  const rolledOut = groups.take()
  activity.begin(`learns from step ${step}`)
  const learnerVersion = learner.policyVersion
  const { kept, dropped, expired } = freshGroups(rolledOut.kept, learnerVersion, maxStaleness)
  const collected = { ...tally, generated: rolledOut.generated, kept }
  const batch = await algorithm.batch(kept)

  // A learner that has begun a step is waited for: half a step belongs to no checkpoint.
  const untilDone = new AbortController().signal
  progress.learning()
  recorder.learning(waitingSince)
  const random = RandomStream.of(config.seed, 'train', 'minibatches', step)
  const update = await optimizeStep(
    learner,
    batch,
    { optimizerSteps: config.training.optimizerStepsPerStep, random },
    untilDone,
  )
  if (update.applied > 0) await learner.publish(untilDone)
  progress.finish({ collected, update, dropped, alive: hasGradient(batch) }, ahead.origin(step + 1))
  pins.pin(step + 1, step + 1 - maxStaleness)

  activity.begin(`writes down step ${step}`)
  for (const reason of update.refused) session.log(`step ${step}: an optimiser step was refused: ${reason}`)
  const { policyVersion } = learner
  await recorder.write({ collected, batch, update, position, dropped, expired, learnerVersion, policyVersion })
  const warning = streakWarning(progress.deadStreak, config.training)
  if (warning !== null) session.log(warning)
  recorder.assertFailureShare(config.training.maxFailureShare)
  assertAlive(progress.deadStreak, config.training)
}

/** Whether all steps are made, or the rollouts of the run are spent. */
function isOver({ run, progress }: OpenedTraining): boolean {
  const { steps, maxRollouts } = run.config.training
  return progress.finishedSteps >= steps || (maxRollouts !== null && progress.counters.rollouts >= maxRollouts)
}

function isCheckpointDue(opened: OpenedTraining): boolean {
  return opened.progress.finishedSteps % opened.run.config.training.checkpointEverySteps === 0 || isOver(opened)
}

/** Old checkpoints go in any case: a kill after the last one was written may have left them. */
async function saveIfNew({ run, session, progress, activity }: OpenedTraining): Promise<void> {
  const { checkpointDirectory } = run.records
  activity.begin('waits for its checkpoint')
  const directory = await progress.save(checkpointDirectory, session)
  if (directory !== null) run.events({ type: 'checkpoint:saved', step: progress.finishedSteps, directory })
  const { keepCheckpoints } = run.config.training
  if (keepCheckpoints !== null) await pruneCheckpoints(checkpointDirectory, keepCheckpoints, progress.finishedSteps)
}

async function finishRun({ run, session, progress, evaluations }: OpenedTraining): Promise<TrainingReport> {
  const { reports } = evaluations
  const report: TrainingReport = {
    finishedSteps: progress.finishedSteps,
    policyVersion: session.learner.policyVersion,
    counters: progress.counters,
    before: reports.find(({ step }) => step === 0) ?? null,
    after: reports.find(({ step }) => step === progress.finishedSteps) ?? null,
    directory: run.records.directory,
  }
  await run.records.summary(report)
  evaluations.assertTrustworthy()
  return report
}

function interrupted({ records }: TrainingRun, finishedSteps: number, cause: unknown): RlenvError {
  if (isRlenvError(cause) && cause.code !== 'RLENV_INTERRUPTED' && cause.code !== 'RLENV_PLUGIN_FAILED') return cause
  return new RlenvError(`training was interrupted after ${finishedSteps} steps; the run is in ${records.directory}`, {
    code: 'RLENV_INTERRUPTED',
    fix: `Continue with "rlenv resume ${records.directory}".`,
    cause,
  })
}
