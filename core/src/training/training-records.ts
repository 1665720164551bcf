import type { EvaluationReport } from '../evaluation/evaluation-report.ts'
import type { RolloutTiming } from '../rollout/collect-request.ts'
import type { JudgedTrajectory, TrajectoryGroup } from '../vocabulary/trajectory.ts'

/** Whose rollouts: of a training step's groups all, or those that the algorithm got. */
interface RecordsPlace {
  readonly step: number
  readonly split: 'train' | 'eval'
  readonly set: 'all' | 'effective'
}

/** The rollouts of one step while they come in. One call at a time. */
export interface OpenRollouts {
  add(group: TrajectoryGroup): Promise<void>
  /** Everything that was added is there now; before, nothing of it is. */
  finish(): Promise<void>
  /** Leaves nothing behind, unless it is finished. */
  discard(): Promise<void>
}

/** Where a training run writes what it finds. Everything of a finished step is on disk before the next one starts. */
export interface TrainingRecords {
  /** Folder of the run. */
  readonly directory: string
  /** Folder of the checkpoints. */
  readonly checkpointDirectory: string
  /** Writes the groups of a step. What is in `standing`, the step's groups of another set, is referred to. */
  rollouts(
    place: RecordsPlace,
    groups: readonly TrajectoryGroup[],
    standing?: readonly TrajectoryGroup[],
  ): Promise<void>
  /** The same, group by group. */
  openRollouts(place: RecordsPlace): Promise<OpenRollouts>
  /** Attempts that were tried again. */
  failedAttempts(attempts: readonly JudgedTrajectory[]): Promise<void>
  /** How long rollouts took. */
  timings(timings: readonly RolloutTiming[]): Promise<void>
  /** One line of the metrics. */
  metrics(line: Readonly<Record<string, number>>): Promise<void>
  /** Writes the report of the evaluation after `report.step` steps. */
  evaluation(report: EvaluationReport): Promise<void>
  /** The report of an earlier evaluation of this run, or null. */
  readEvaluation(step: number): Promise<EvaluationReport | null>
  /** Writes what the run came to. */
  summary(report: unknown): Promise<void>
  /** Writes a file of the run folder whole. */
  file(name: string, content: string): Promise<void>
  /** A run that goes on was not refused: it is one with the settings of this start from now on. */
  begun(): Promise<void>
  /** Removes what belongs to steps after this number of finished ones, so that they can be written again. */
  rewind(finishedSteps: number): Promise<void>
}
