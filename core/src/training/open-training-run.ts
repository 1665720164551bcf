import { RlenvError } from '../errors/rlenv-error.ts'
import type { CollectParts } from './collect-step.ts'
import { HeldOutEvaluations } from './held-out-evaluations.ts'
import type { StepRecorder } from './step-recorder.ts'
import { loadCheckpoint } from './training-checkpoint.ts'
import { assertSameRun, trainingFingerprint } from './training-fingerprint.ts'
import { TrainingProgress } from './training-progress.ts'
import { openTraining, type TrainingRun, type TrainingSession } from './training-session.ts'

/** A run that is ready for its next step. */
export interface OpenedTraining {
  readonly run: TrainingRun
  readonly session: TrainingSession
  readonly progress: TrainingProgress
  readonly evaluations: HeldOutEvaluations
  /** What collects a step whose groups go to this recorder. */
  collectInto(recorder: StepRecorder): CollectParts
}

/**
 * Opens a run, and takes its latest checkpoint over when it is to be resumed. Results of later steps are removed, so
 * that the resumed run writes them once.
 *
 * @throws {RlenvError} RLENV_RESUME_REFUSED, RLENV_CHECKPOINT_INVALID; what {@link openTraining} throws.
 */
export async function openTrainingRun(run: TrainingRun, signal: AbortSignal): Promise<OpenedTraining> {
  const session = await openTraining(run, signal)
  try {
    const progress = new TrainingProgress(trainingFingerprint(run.config, run.pipeline, session.split), session)
    const evaluations = new HeldOutEvaluations(run, session)
    if (run.resume) await takeOver(run, session, progress)
    await run.records.rewind(progress.finishedSteps)
    await evaluations.restore(run.resume ? progress.finishedSteps : -1)
    return { run, session, progress, evaluations, collectInto: (recorder) => collectParts(run, session, recorder) }
  } catch (error) {
    await session.close()
    throw error
  }
}

async function takeOver(run: TrainingRun, session: TrainingSession, progress: TrainingProgress): Promise<void> {
  const saved = await loadCheckpoint(run.records.checkpointDirectory)
  if (saved === null) return
  const { checkpoint, learnerDirectory } = saved
  assertSameRun(checkpoint.fingerprint, progress.fingerprint)
  const { steps } = run.config.training
  if (checkpoint.finishedSteps > steps) {
    throw new RlenvError(
      `the run has finished ${checkpoint.finishedSteps} steps, more than training.steps = ${steps}`,
      {
        code: 'RLENV_RESUME_REFUSED',
        fix: `Set training.steps to ${checkpoint.finishedSteps} or more.`,
      },
    )
  }
  await session.learner.load(learnerDirectory)
  progress.restore(checkpoint, session)
}

function collectParts(
  { pipeline, config }: TrainingRun,
  { sampler, engine, tasks, log }: TrainingSession,
  recorder: StepRecorder,
): CollectParts {
  const { tasksPerStep, rolloutsPerTask, maxRefills } = config.training
  return {
    sampler,
    engine,
    pipeline,
    tasks,
    seed: config.seed,
    tasksPerStep,
    rolloutsPerTask,
    maxRefills,
    onGroup: (group) => recorder.group(group),
    onFailedAttempts: (attempts) => recorder.failedAttempts(attempts),
    onTiming: (timing) => recorder.timing(timing),
    log,
  }
}
