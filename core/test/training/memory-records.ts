import { join } from 'node:path'
import type { EvaluationReport } from '../../src/evaluation/evaluation-report.ts'
import type { TrainingRecords } from '../../src/training/training-records.ts'
import type { JudgedTrajectory, TrajectoryGroup } from '../../src/vocabulary/trajectory.ts'

/** Keeps what a run writes, so that tests can compare whole runs. Checkpoints are real files. */
export class MemoryRecords implements TrainingRecords {
  readonly directory: string
  readonly checkpointDirectory: string
  readonly lines: Readonly<Record<string, number>>[] = []
  readonly traces = new Map<string, string>()
  readonly evaluations = new Map<number, EvaluationReport>()
  readonly files = new Map<string, string>()
  readonly failed: JudgedTrajectory[] = []

  constructor(directory: string) {
    this.directory = directory
    this.checkpointDirectory = join(directory, 'checkpoints')
  }

  async rollouts(
    { step, split, set }: { step: number; split: string; set: string },
    groups: readonly TrajectoryGroup[],
  ): Promise<void> {
    this.traces.set(`${step}/${split}/${set}`, JSON.stringify(groups))
  }

  async failedAttempts(attempts: readonly JudgedTrajectory[]): Promise<void> {
    this.failed.push(...attempts)
  }

  async metrics(line: Readonly<Record<string, number>>): Promise<void> {
    this.lines.push(line)
  }

  async evaluation(report: EvaluationReport): Promise<void> {
    this.evaluations.set(report.step ?? -1, report)
  }

  async readEvaluation(step: number): Promise<EvaluationReport | null> {
    return this.evaluations.get(step) ?? null
  }

  async file(name: string, content: string): Promise<void> {
    this.files.set(name, content)
  }

  async rewind(finishedSteps: number): Promise<void> {
    const isEvaluation = (line: Readonly<Record<string, number>>) => 'eval/error_rate' in line
    const kept = this.lines.filter((line) => {
      const step = line.step ?? 0
      return isEvaluation(line) ? step <= finishedSteps && this.evaluations.has(step) : step < finishedSteps
    })
    this.lines.splice(0, this.lines.length, ...kept)
    for (const step of this.evaluations.keys()) if (step > finishedSteps) this.evaluations.delete(step)
    for (const key of this.traces.keys()) {
      const [step, split] = key.split('/')
      if (Number(step) > finishedSteps || (Number(step) === finishedSteps && split === 'train')) this.traces.delete(key)
    }
  }
}
