import { resolve } from 'node:path'
import { ArtifactStore } from '../artifacts/artifact-store.ts'
import { systemClock } from '../determinism/clock.ts'
import type { SynthesisReport } from '../synthesis/synthesis-report.ts'
import { synthesize } from '../synthesis/synthesize.ts'
import type { Session } from './rlenv-command.ts'

/** The environments of a configuration, out of the artefact store wherever it has them. */
export function synthesizedEnvironments(session: Session): Promise<SynthesisReport> {
  const { pipeline, config, emit, signal, progress } = session
  const store = new ArtifactStore(resolve(config.baseDirectory, config.synthesis.artifactDirectory))
  const log = (line: string) => progress.note(line)
  return synthesize({ pipeline, config, store, events: emit, clock: systemClock, signal, log })
}

/** Yield per stage and why things were dropped, as lines of text. */
export function synthesisSummary(report: SynthesisReport): string {
  const { environments, wanted, tasks, verifierKillRate, mutants, costUsd } = report
  const cached = report.stages.every((stage) => stage.cached === stage.entered)
  const killed = verifierKillRate === null ? '–' : `${(100 * verifierKillRate).toFixed(1)} %`
  const reasons = report.stages.flatMap(({ stage, reasons: why, droppedItems }) => {
    return [...why, ...droppedItems].map(
      ({ reason, count, example }) => `  ${stage}: ${count} × ${reason}, as ${example}`,
    )
  })
  return [
    `${environments.length} of ${wanted} environments with ${tasks} tasks${cached ? ' (all out of the artefact store)' : ''}`,
    `verifiers refused ${killed} of ${mutants} altered final states and answers`,
    ...(costUsd > 0 ? [`models cost ${costUsd.toFixed(2)} US dollars`] : []),
    ...(reasons.length > 0 ? ['dropped on the way:', ...reasons] : []),
  ].join('\n')
}
