import { resolve } from 'node:path'
import { ArtifactStore } from '../artifacts/artifact-store.ts'
import { systemClock } from '../determinism/clock.ts'
import { RandomStream } from '../determinism/random-stream.ts'
import { type SynthesisReport, synthesisReport } from '../synthesis/synthesis-report.ts'
import { synthesize } from '../synthesis/synthesize.ts'
import type { Session } from './rlenv-command.ts'

/** The environments of a configuration: those that its world brings along, or else synthesised ones. */
export async function configuredEnvironments(session: Session): Promise<SynthesisReport> {
  return (await environmentsOfWorld(session)) ?? synthesizedEnvironments(session)
}

/** A report on environments that were not synthesised; null when the world brings none along. */
async function environmentsOfWorld(session: Session): Promise<SynthesisReport | null> {
  const { pipeline, config, signal, progress } = session
  if (!pipeline.has('world')) return null
  const world = await pipeline.slot('world', {
    random: RandomStream.of(config.seed, 'environments', 'world'),
    seed: config.seed,
    signal,
    log: (line) => progress.note(line),
  })
  try {
    if (world.environments === undefined) return null
    const environments = await world.environments(signal)
    const results = environments.map((environment) => ({ environment, drop: null, passages: [] }))
    const scenarios = environments.map(({ scenario }) => scenario)
    return synthesisReport(environments.length, { scenarios, plugins: [], costUsd: 0 }, results)
  } finally {
    await world.close()
  }
}

/** Synthesised environments, out of the artefact store wherever it has them. */
export function synthesizedEnvironments(session: Session): Promise<SynthesisReport> {
  const { pipeline, config, emit, signal, progress } = session
  const store = new ArtifactStore(resolve(config.baseDirectory, config.synthesis.artifactDirectory))
  const log = (line: string) => progress.note(line)
  return synthesize({ pipeline, config, store, events: emit, clock: systemClock, signal, log })
}

/** Yield per stage and why things were dropped, as lines of text. */
export function synthesisSummary(report: SynthesisReport): string {
  const { environments, wanted, tasks, verifierKillRate, mutants, costUsd } = report
  if (report.stages.length === 0) return `${environments.length} environments of the world's own with ${tasks} tasks`
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
