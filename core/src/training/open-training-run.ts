import { type CollectParts, collectStep, type StepPosition } from './collect-step.ts'
import { CollectionAhead } from './collection-ahead.ts'
import { HeldOutEvaluations } from './held-out-evaluations.ts'
import { LearnerActivity } from './learner-activity.ts'
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
  readonly activity: LearnerActivity
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
    const activity = new LearnerActivity(run.clock)
    const ahead = collectionAhead(run, session, progress, activity, AbortSignal.any([signal, stop.signal]))
    const close = async () => {
      stop.abort(new Error('the training run has ended'))
      await ahead.settled()
      await session.close()
    }
    return { run, session, progress, evaluations, ahead, activity, close }
  } catch (error) {
    await session.close()
    throw error
  }
}

function collectionAhead(
  run: TrainingRun,
  session: TrainingSession,
  progress: TrainingProgress,
  activity: LearnerActivity,
  signal: AbortSignal,
): CollectionAhead<StepRollouts> {
  const { maxStaleness, steps } = run.config.training
  const surroundings = (): readonly string[] => [activity.describe(), ahead.describe()]
  const ahead: CollectionAhead<StepRollouts> = new CollectionAhead(
    {
      maxStaleness,
      steps,
      snapshot: () => snapshotOf(session),
      frontierAfter: ({ waiting }) => waiting.frontier,
      collect: (step, { frontier }) => rollOutStep(run, session, { step, frontier, surroundings }, signal),
    },
    progress.finishedSteps,
    progress.frontier,
  )
  return ahead
}

async function rollOutStep(
  run: TrainingRun,
  session: TrainingSession,
  { step, frontier, surroundings }: Pick<StepPosition, 'step' | 'frontier'> & Pick<CollectParts, 'surroundings'>,
  signal: AbortSignal,
): Promise<StepRollouts> {
  const stepsAhead = Math.min(step, run.config.training.maxStaleness)
  const policy = session.pins.at(step - stepsAhead)
  const { policyVersion } = policy
  const position = { step, frontier, policyVersion, learnerVersion: policyVersion + stepsAhead }
  const recorder = new StepRecorder(run)
  const waiting = await collectStep({ ...collectParts(run, session, recorder), policy, surroundings }, position, signal)
  recorder.collected()
  return { waiting, position, recorder }
}

function collectParts(
  { pipeline, config }: TrainingRun,
  { sampler, engine, tasks, log }: TrainingSession,
  recorder: StepRecorder,
): Omit<CollectParts, 'policy' | 'surroundings'> {
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
