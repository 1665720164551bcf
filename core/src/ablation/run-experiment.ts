import { join } from 'node:path'
import { z } from 'zod'
import { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { ResolvedConfig } from '../config/rlenv-config.ts'
import { systemClock } from '../determinism/clock.ts'
import { RandomStream } from '../determinism/random-stream.ts'
import { isRlenvError, RlenvError } from '../errors/rlenv-error.ts'
import { evaluate } from '../evaluation/evaluate.ts'
import type { EvaluationReport } from '../evaluation/evaluation-report.ts'
import { openEvaluation } from '../evaluation/evaluation-session.ts'
import { splitOf } from '../evaluation/split-environments.ts'
import { type LoadedPipeline, loadPipeline } from '../pipeline/load-pipeline.ts'
import { readJsonl } from '../runs/read-jsonl.ts'
import { RunDirectory, type RunOptions } from '../runs/run-directory.ts'
import { readJsonIfPresent } from '../runs/step-files.ts'
import { synthesize } from '../synthesis/synthesize.ts'
import type { EventSink, RunEvent } from '../telemetry/run-event.ts'
import { train } from '../training/train.ts'
import { loadCheckpoint } from '../training/training-checkpoint.ts'
import type { TrainingReport } from '../training/training-report.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { JsonObject } from '../vocabulary/json.ts'
import type { Arm } from './ablation-plan.ts'
import { armLayer } from './arm-layer.ts'
import type { ExperimentResult } from './experiment-result.ts'
import { leanRecords } from './lean-records.ts'
import { curveOf, type MetricsLine, runMeasures } from './run-measures.ts'
import { trainedConfig } from './trained-config.ts'

/** Where and how one run takes place. Plain JSON: it crosses to another process. */
export interface ExperimentOrder {
  /** The configuration that is ablated; absolute path. */
  readonly file: string
  readonly cwd: string
  /** Words of `--set` for every arm. */
  readonly set: readonly string[]
  readonly arm: Arm
  readonly replicate: number
  readonly rollouts: number | null
  readonly trainingTasks: number
  /** Folder of the whole ablation; absolute path. */
  readonly directory: string
}

/** In the run's folder, once it is over. */
const resultFile = 'experiment.json'

/**
 * Trains one arm with one seed and evaluates what came of it. A run that was begun goes on, one that is over is read.
 * All runs share their environments, and which of them are held out; only what training draws depends on the seed.
 */
export async function runExperiment(
  order: ExperimentOrder,
  events: EventSink,
  signal: AbortSignal,
): Promise<ExperimentResult> {
  const loaded = await loadArm(order, events, signal)
  const { config: base, pipeline } = loaded
  const config = trainedConfig(base, order)
  const records = await openRecords(order, loaded, config)
  let status: 'done' | 'failed' = 'failed'
  try {
    const known = await readJsonIfPresent(join(records.directory, resultFile))
    const result = known === null ? await experiment({ order, base, config, loaded, records, events }, signal) : known
    status = 'done'
    return result as ExperimentResult
  } finally {
    await records.finish(status)
    await pipeline.drain()
  }
}

async function loadArm(order: ExperimentOrder, events: EventSink, signal: AbortSignal): Promise<LoadedPipeline> {
  const { file, cwd, set, arm } = order
  const shared = { file, cwd, command: 'ablate', signal }
  const base = await loadPipeline({ ...shared, set })
  const layer = await armLayer(arm, base.pipeline)
  return loadPipeline({ ...shared, overlay: layer.overlay, set: [...layer.set, ...set], events })
}

async function openRecords(
  { directory, arm, replicate }: ExperimentOrder,
  { describe, redact }: LoadedPipeline,
  config: ResolvedConfig,
): Promise<RunDirectory> {
  const { command: _command, ...document } = describe()
  const options: RunOptions = {
    root: directory,
    kind: 'runs',
    name: arm.name,
    model: `seed-${replicate}`,
    config: { ...document, trained: { seed: config.seed, maxRollouts: config.training.maxRollouts } },
    clock: systemClock,
    redact,
    details: { arm: arm.name, replicate, seed: config.seed } satisfies JsonObject,
  }
  try {
    return await RunDirectory.resume(options)
  } catch (cause) {
    if (isRlenvError(cause) && cause.message.includes('does not exist')) return RunDirectory.create(options)
    throw cause
  }
}

interface ExperimentParts {
  readonly order: ExperimentOrder
  readonly base: ResolvedConfig
  readonly config: ResolvedConfig
  readonly loaded: LoadedPipeline
  readonly records: RunDirectory
  readonly events: EventSink
}

async function experiment(parts: ExperimentParts, signal: AbortSignal): Promise<ExperimentResult> {
  const { order, base, config, loaded, records } = parts
  const store = new ArtifactStore(join(base.baseDirectory, base.synthesis.artifactDirectory))
  const { pipeline, emit } = loaded
  const { environments } = await synthesize({ pipeline, config: base, store, events: emit, clock: systemClock, signal })
  const seconds: number[] = []
  const timed = (event: RunEvent) => {
    if (event.type === 'step:end') seconds.push(secondsOf(event.metrics))
    emit(event)
  }
  const run = { pipeline, config, environments, records: leanRecords(records), events: timed, clock: systemClock }
  const report = await train({ ...run, resume: true }, signal)
  const lines: MetricsLine[] = []
  for await (const { value } of readJsonl(join(records.directory, 'metrics.jsonl')))
    lines.push(metricsLine.parse(value))
  const result: ExperimentResult = {
    format: 1,
    arm: order.arm.name,
    replicate: order.replicate,
    seed: config.seed,
    steps: report.finishedSteps,
    rollouts: report.counters.rollouts,
    optimizerSteps: report.counters.optimizerSteps,
    heldOut: heldOutOf(report),
    training: await trainingSuccess(parts, environments, signal),
    curve: curveOf(lines),
    measures: runMeasures(lines, seconds),
  }
  await records.file(resultFile, `${JSON.stringify(result)}\n`)
  return result
}

const metricsLine = z.record(z.string(), z.number())

const secondsOf = (metrics: Readonly<Record<string, number>>) =>
  (metrics['time/generate'] ?? 0) + (metrics['time/learn'] ?? 0)

function heldOutOf({ after }: TrainingReport): EvaluationReport {
  if (after !== null) return after
  throw new RlenvError('nothing is held out, so arms cannot be compared', {
    code: 'RLENV_CONFIG_INVALID',
    fix: 'Set evaluation.heldOutShare above 0.',
  })
}

/** Success on training tasks that were drawn uniformly, and the same ones for every arm and seed. */
async function trainingSuccess(
  { order, base, config, loaded, records }: ExperimentParts,
  environments: readonly Environment[],
  signal: AbortSignal,
): Promise<EvaluationReport | null> {
  if (order.trainingTasks === 0) return null
  const saved = await loadCheckpoint(records.checkpointDirectory)
  const chosen = uniformTasks(splitOf(environments, config).train, order.trainingTasks, base.seed)
  const { pipeline, emit } = loaded
  const run = { pipeline, config, environments: chosen, events: emit, clock: systemClock, needsLearner: true }
  const { engine, policy, learner, close } = await openEvaluation(run, signal)
  try {
    if (saved !== null) await learner?.load(saved.learnerDirectory)
    const settings = { ...config.evaluation, maxTasks: null }
    return await evaluate({ engine, environments: chosen, settings, seed: config.seed, policy, step: null }, signal)
  } finally {
    await close()
  }
}

/** So many tasks, drawn without replacement, in the environments that they belong to. */
function uniformTasks(environments: readonly Environment[], count: number, seed: number): readonly Environment[] {
  const ids = environments.flatMap(({ tasks }) => tasks.map(({ id }) => id))
  const chosen = new Set(RandomStream.of(seed, 'ablation', 'training-tasks').shuffle(ids).slice(0, count))
  return environments
    .map((environment) => ({ ...environment, tasks: environment.tasks.filter(({ id }) => chosen.has(id)) }))
    .filter(({ tasks }) => tasks.length > 0)
}
