import { isRlenvError, RlenvError } from '../errors/rlenv-error.ts'
import type { StageProvenance } from '../vocabulary/environment.ts'
import type { Scenario } from '../vocabulary/scenario.ts'
import { oneLine } from './one-line.ts'
import { runBounded } from './run-bounded.ts'
import { type SourcedScenarios, sourceScenarios } from './source-scenarios.ts'
import type { Stage, SynthesisRequest } from './stage.ts'
import { databaseStage } from './stages/database-stage.ts'
import { gateStage } from './stages/gate-stage.ts'
import { tasksStage } from './stages/tasks-stage.ts'
import { toolsStage } from './stages/tools-stage.ts'
import { verifiersStage } from './stages/verifiers-stage.ts'
import { countReasons, droppedItems, type SynthesisReport, synthesisReport } from './synthesis-report.ts'
import { type EnvironmentDrop, type SynthesizedEnvironment, synthesizeEnvironment } from './synthesize-environment.ts'

/** The way from a scenario to an environment; each stage executes what the ones before it made. */
const stages: readonly Stage[] = [databaseStage, toolsStage, tasksStage, verifiersStage, gateStage]

/**
 * Synthesises environments: scenarios → database → tools → tasks → verifiers → gate. What a stage made is served from
 * the store when nothing upstream of it changed, so that a run that was interrupted, or is repeated, redoes nothing.
 * Equal configurations give equal environments, whatever the concurrency.
 *
 * @throws {RlenvError} RLENV_HOOK_EMPTY; RLENV_SYNTHESIS_EMPTY when nothing came through, or what a plugin threw when
 * that is why; RLENV_DISK_FULL, RLENV_OUTPUT_UNWRITABLE; RLENV_INTERRUPTED once the signal has aborted.
 */
export async function synthesize(request: SynthesisRequest): Promise<SynthesisReport> {
  const { pipeline, config, signal } = request
  pipeline.require(['scenarioSource', 'dbMiner', 'toolGenerator', 'taskGenerator', 'verifier'])
  const progress = new Progress(request.events)
  try {
    const sourced = await sourceScenarios(request)
    const results = await synthesizeUpTo(config.synthesis.environments, sourced, progress, request)
    if (!results.some(({ environment }) => environment !== null)) throw nothingSurvived(results)
    return synthesisReport(config.synthesis.environments, sourced, results)
  } catch (thrown) {
    if (!signal.aborted) throw thrown
    throw interrupted(progress.done, signal.reason)
  }
}

/** Surplus scenarios take the places of environments that were dropped, in rounds, so that timing decides nothing. */
async function synthesizeUpTo(
  wanted: number,
  sourced: SourcedScenarios,
  progress: Progress,
  request: SynthesisRequest,
): Promise<readonly SynthesizedEnvironment[]> {
  const { scenarios } = sourced
  const results: SynthesizedEnvironment[] = []
  for (let accepted = 0; accepted < wanted && results.length < scenarios.length; ) {
    const round = scenarios.slice(results.length, results.length + wanted - accepted)
    progress.total += round.length
    results.push(...(await synthesizeAll(round, sourced, progress, request)))
    accepted = results.filter(({ environment }) => environment !== null).length
  }
  return results
}

/** Tells how far the run is, one event per environment. */
class Progress {
  done = 0
  total = 0
  readonly #events: SynthesisRequest['events']

  constructor(events: SynthesisRequest['events']) {
    this.#events = events
  }

  ended(id: string, { environment, drop }: SynthesizedEnvironment): void {
    this.done += 1
    this.#events({
      type: 'environment:end',
      environmentId: id,
      accepted: environment !== null,
      tasks: environment?.tasks.length ?? 0,
      reason: drop === null ? null : `${drop.stage}: ${oneLine(drop.message)}`,
      done: this.done,
      total: this.total,
    })
  }
}

function synthesizeAll(
  scenarios: readonly Scenario[],
  sourced: SourcedScenarios,
  progress: Progress,
  request: SynthesisRequest,
): Promise<SynthesizedEnvironment[]> {
  const origin: StageProvenance = {
    stage: 'scenarios',
    plugins: sourced.plugins,
    attempts: 1,
    costUsd: sourced.costUsd / sourced.scenarios.length,
  }
  const limit = request.config.synthesis.maxConcurrentEnvironments
  return runBounded(scenarios, limit, request.signal, async (scenario, signal) => {
    const result = await synthesizeEnvironment(scenario, origin, stages, { ...request, signal })
    progress.ended(scenario.id, result)
    return result
  })
}

/** A plugin that threw for every scenario is what has to be repaired, so its own error is the one to show. */
function nothingSurvived(results: readonly SynthesizedEnvironment[]): RlenvError {
  const drops = results.flatMap(({ drop }) => (drop === null ? [] : [drop]))
  const [first] = drops
  if (first !== undefined && drops.every(({ cause }) => isRlenvError(cause))) return first.cause as RlenvError
  const why = first === undefined ? 'the scenario sources gave none' : countsText(drops.map(withStage))
  return new RlenvError(`none of ${drops.length} environments came through: ${why}${lostText(results)}`, {
    code: 'RLENV_SYNTHESIS_EMPTY',
    fix:
      first === undefined
        ? 'Add a plugin that makes scenarios.'
        : `Repair what the stage "${first.stage}" objects to, or loosen synthesis.minTasksPerEnvironment.`,
    ...(first === undefined ? {} : { cause: first.cause ?? undefined }),
  })
}

/** Too few tasks are left because of what was dropped before, which is what has to be repaired. */
function lostText(results: readonly SynthesizedEnvironment[]): string {
  const lost = results.flatMap(({ passages }) => {
    return passages.flatMap((passage) => droppedItems(passage).map((item) => withStage({ ...passage, ...item })))
  })
  return lost.length === 0 ? '' : `; tools and tasks dropped on the way: ${countsText(lost)}`
}

function countsText(items: readonly { readonly reason: string; readonly message: string }[]): string {
  const counts = countReasons(items)
  return counts.map(({ reason, count, example }) => `${count} × ${reason} (${oneLine(example)})`).join('; ')
}

function withStage({ stage, reason, message }: Pick<EnvironmentDrop, 'stage' | 'reason' | 'message'>) {
  return { reason: `${stage}: ${reason}`, message }
}

function interrupted(done: number, cause: unknown): RlenvError {
  return new RlenvError(`synthesis was interrupted after ${done} environments`, {
    code: 'RLENV_INTERRUPTED',
    fix: 'Run the same command again; it goes on where this one stopped.',
    cause,
  })
}
