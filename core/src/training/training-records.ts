import type { EvaluationReport } from '../evaluation/evaluation-report.ts'
import type { JudgedTrajectory, TrajectoryGroup } from '../vocabulary/trajectory.ts'

/** Where a training run writes what it finds. Everything of a finished step is on disk before the next one starts. */
export interface TrainingRecords {
  /** Folder of the run. */
  readonly directory: string
  /** Folder of the checkpoints. */
  readonly checkpointDirectory: string
  /** All groups of a step (`all`), or those that the algorithm got (`effective`). */
  rollouts(
    place: { readonly step: number; readonly split: 'train' | 'eval'; readonly set: 'all' | 'effective' },
    groups: readonly TrajectoryGroup[],
  ): Promise<void>
  /** Attempts that were tried again. */
  failedAttempts(attempts: readonly JudgedTrajectory[]): Promise<void>
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
  /** Removes what belongs to steps after this number of finished ones, so that they can be written again. */
  rewind(finishedSteps: number): Promise<void>
}
