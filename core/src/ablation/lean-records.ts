import type { RunDirectory } from '../runs/run-directory.ts'
import type { OpenRollouts, TrainingRecords } from '../training/training-records.ts'

const nothing = async () => undefined
const noRollouts: OpenRollouts = { add: nothing, finish: nothing, discard: nothing }

/** A run folder without traces: an ablation compares numbers, and the traces of its many runs would fill a disk. */
export function leanRecords(run: RunDirectory): TrainingRecords {
  return {
    directory: run.directory,
    checkpointDirectory: run.checkpointDirectory,
    rollouts: nothing,
    openRollouts: async () => noRollouts,
    failedAttempts: (attempts) => run.failedAttempts(attempts),
    timings: nothing,
    metrics: (line) => run.metrics(line),
    evaluation: (report) => run.evaluation(report),
    readEvaluation: (step) => run.readEvaluation(step),
    summary: (report) => run.summary(report),
    file: (name, content) => run.file(name, content),
    begun: () => run.begun(),
    rewind: (finishedSteps) => run.rewind(finishedSteps),
  }
}
