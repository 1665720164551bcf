import { relative } from 'node:path'
import { systemClock } from '../determinism/clock.ts'
import { evaluationTable } from '../evaluation/evaluation-table.ts'
import { train } from '../training/train.ts'
import type { TrainingReport } from '../training/training-report.ts'
import type { Session } from './rlenv-command.ts'
import { recorded } from './run-recording.ts'
import { configuredEnvironments, synthesisSummary } from './synthesized-environments.ts'

export interface TrainingChoice {
  /** Go on with an earlier run: the latest of this configuration, or the one in this folder. */
  readonly resume: boolean | string
  /** Go on although something that its numbers depend on has changed. */
  readonly force: boolean
}

/** A training run with its report. */
export interface TrainedRun {
  /** For a terminal. */
  readonly text: string
  /** For `--json`. */
  readonly document: unknown
}

/** Trains in a run folder, new or old. */
export function trainInRun(session: Session, { resume, force }: TrainingChoice): Promise<TrainedRun> {
  return recorded(session, { kind: 'train', resume }, async (records) => {
    const { pipeline, config, emit, signal, progress } = session
    if (resume !== false) progress.note(`going on with the run in ${records.directory}`)
    const synthesis = await configuredEnvironments(session)
    progress.note(synthesisSummary(synthesis))
    const { environments } = synthesis
    const run = { pipeline, config, environments, records, events: emit, clock: systemClock }
    const report = await train({ ...run, resume: resume !== false, force }, signal)
    progress.finish()
    return { text: resultText(report), document: { status: 'done', steps: report.finishedSteps, ...report } }
  })
}

function resultText({ before, after, directory, counters }: TrainingReport): string {
  const place = relative(process.cwd(), directory) || '.'
  const table = after === null ? 'nothing was held out, so nothing was evaluated\n' : evaluationTable(after, before)
  const { rollouts, optimizerSteps, deadSteps } = counters
  const counts = [`${rollouts} rollouts`, `${optimizerSteps} optimiser steps`, `${deadSteps} steps without a gradient`]
  return `held-out success\n${table}${counts.join(', ')}\nrun in ${place} (report.html shows the learning curve)`
}
