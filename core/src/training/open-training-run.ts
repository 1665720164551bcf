import { type CollectParts, collectStep } from './collect-step.ts'
import { CollectionAhead } from './collection-ahead.ts'
import { HeldOutEvaluations } from './held-out-evaluations.ts'
import { assertLearnerScores } from './prepare-samples.ts'
import { StepRecorder, type StepRollouts } from './step-recorder.ts'
import { takeOver } from './take-over.ts'
import { trainingFingerprint } from './training-fingerprint.ts'
import { TrainingProgress } from './training-progress.ts'
import { openTraining, snapshotOf, type TrainingRun, type TrainingSession } from './training-session.ts'

/** A run that is ready for its next step. */
export interface OpenedTraining {
  readonly run: TrainingRun
  readonly session: TrainingSession
  readonly progress: TrainingProgress
  readonly evaluations: HeldOutEvaluations
  readonly ahead: CollectionAhead<StepRollouts>
  /** Cancels what is being collected and closes everything. */
  close(): Promise<void>
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
    assertLearnerScores(session.algorithm, session.learner)
    const origin = { frontier: 0, ...snapshotOf(session) }
    const progress = new TrainingProgress(trainingFingerprint(run.config, run.pipeline, session.split), origin)
    const evaluations = new HeldOutEvaluations(run, session)
    if (run.resume) await takeOver(run, session, progress)
    await run.records.rewind(progress.finishedSteps)
    await evaluations.restore(run.resume ? progress.finishedSteps : -1)
    session.pins.pin(progress.finishedSteps, progress.finishedSteps - run.config.training.maxStaleness)
    const stop = new AbortController()
    const ahead = collectionAhead(run, session, progress, AbortSignal.any([signal, stop.signal]))
    const close = async () => {
      stop.abort(new Error('the training run has ended'))
      await ahead.settled()
      await session.close()
    }
    return { run, session, progress, evaluations, ahead, close }
  } catch (error) {
    await session.close()
    throw error
  }
}

function collectionAhead(
  run: TrainingRun,
  session: TrainingSession,
  progress: TrainingProgress,
  signal: AbortSignal,
): CollectionAhead<StepRollouts> {
  const { maxStaleness, steps } = run.config.training
  return new CollectionAhead(
    {
      maxStaleness,
      steps,
      snapshot: () => snapshotOf(session),
      frontierAfter: ({ waiting }) => waiting.frontier,
      collect: (step, { frontier }) => rollOutStep(run, session, { step, frontier }, signal),
    },
    progress.finishedSteps,
    progress.frontier,
  )
}

async function rollOutStep(
  run: TrainingRun,
  session: TrainingSession,
  { step, frontier }: { readonly step: number; readonly frontier: number },
  signal: AbortSignal,
): Promise<StepRollouts> {
  const stepsAhead = Math.min(step, run.config.training.maxStaleness)
  const policy = session.pins.at(step - stepsAhead)
  const { policyVersion } = policy
  const position = { step, frontier, policyVersion, learnerVersion: policyVersion + stepsAhead }
  const recorder = new StepRecorder(run)
  const waiting = await collectStep({ ...collectParts(run, session, recorder), policy }, position, signal)
  recorder.collected()
  return { waiting, position, recorder }
}

function collectParts(
  { pipeline, config }: TrainingRun,
  { sampler, engine, tasks, log }: TrainingSession,
  recorder: StepRecorder,
): Omit<CollectParts, 'policy'> {
  const { tasksPerStep, rolloutsPerTask, maxRefills, maxRollouts } = config.training
  return {
    sampler,
    engine,
    pipeline,
    tasks,
    seed: config.seed,
    tasksPerStep,
    rolloutsPerTask,
    maxRefills,
    maxDraws: maxRollouts === null ? Number.POSITIVE_INFINITY : Math.ceil(maxRollouts / rolloutsPerTask),
    onGroup: (group) => recorder.group(group),
    onFailedAttempts: (attempts) => recorder.failedAttempts(attempts),
    onTiming: (timing) => recorder.timing(timing),
    log,
  }
}
