import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { arena } from '@rlenv/preset-arena'
import { uniformSampler } from '@rlenv/sampler-uniform'
import {
  ArtifactStore,
  assemblePipeline,
  corePlugins,
  keepAllGroups,
  resolveConfig,
  synthesize,
  systemClock,
  train,
} from 'rlenv'
import type { Metric } from '../metric.ts'
import { NoRecords } from './no-records.ts'
import { StepTimes } from './step-times.ts'

export interface LearnerMetricsOptions {
  /** A few steps on a few environments: shows that it runs, not how well. */
  readonly smoke?: boolean
  readonly seed?: number
}

const { signal } = new AbortController()

/** 60 environments to train on, 30 to evaluate on; 100 steps of 16 tasks × 8 rollouts in 4 optimiser steps. */
const full = { environments: 90, steps: 100 }
const smoke = { environments: 9, steps: 3 }
const step = { tasksPerStep: 16, rolloutsPerTask: 8, optimizerStepsPerStep: 4 }

/** Synthesises, trains and evaluates as a user would, on one core. */
async function run(size: typeof full, seed: number, directory: string) {
  const { config, layers } = await resolveConfig(
    {
      extends: arena({ environments: size.environments }),
      plugins: [uniformSampler(), keepAllGroups()],
      without: ['@rlenv/groups-replay'],
      training: { ...step, maxStaleness: 0, steps: size.steps, checkpointEverySteps: size.steps },
      evaluation: { heldOutShare: 1 / 3 },
      seed,
    },
    { command: 'train', core: corePlugins() },
  )
  const pipeline = await assemblePipeline(layers)
  const events = () => undefined
  const store = new ArtifactStore(join(directory, 'artifacts'))
  const started = systemClock.now()
  const { environments } = await synthesize({ pipeline, config, store, events, clock: systemClock, signal })
  const synthesisS = (systemClock.now() - started) / 1000
  const times = new StepTimes()
  const records = new NoRecords(directory)
  const report = await train(
    { pipeline, config, environments, records, events: times.hear, clock: systemClock, resume: false },
    signal,
  )
  return { synthesisS, times, report, environments: environments.length }
}

/** What the embedded environments and learner come to; ids `L…`. */
export async function learnerMetrics(options: LearnerMetricsOptions = {}): Promise<Metric[]> {
  const size = options.smoke ? smoke : full
  const directory = await mkdtemp(join(tmpdir(), 'rlenv-bench-learner-'))
  try {
    const { synthesisS, times, report, environments } = await run(size, options.seed ?? 1, directory)
    const rollouts = size.steps * step.tasksPerStep * step.rolloutsPerTask
    const success = (when: 'before' | 'after', way: 'sampled' | 'greedy') => report[when]?.[way]?.pass1.value ?? 0
    const gain = success('after', 'greedy') - success('before', 'greedy')
    const reached = (metric: Metric): Metric => (options.smoke ? { ...metric, target: null, ok: true } : metric)
    return [
      atLeast('L1', 'held-out success before training, sampled', 'share', success('before', 'sampled'), 0.1),
      atMost('L2', 'held-out success before training, greedy', 'share', success('before', 'greedy'), 0.35),
      atLeast('L3', `held-out success after ${rollouts} rollouts, sampled`, 'share', success('after', 'sampled'), 0.5),
      atLeast('L4', `gain in greedy held-out success over ${rollouts} rollouts`, 'share', gain, 0.2),
      atMost('L5', 'rollout with verification', 'ms', (times.generateS * 1000) / rollouts, 2),
      atMost('L6', 'learning per step of 128 rollouts', 'ms', (times.learnS * 1000) / size.steps, 40),
      atMost('L7', 'synthesis of 100 environments', 's', (synthesisS * 100) / environments, 5),
      atMost('L8', 'resident memory', 'MiB', process.memoryUsage().rss / 2 ** 20, 1024),
    ].map(reached)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function atLeast(id: string, what: string, unit: string, value: number, target: number): Metric {
  return { id, what: `${what}; at least`, value, unit, floor: null, ratio: null, target, ok: value >= target }
}

function atMost(id: string, what: string, unit: string, value: number, target: number): Metric {
  return { id, what: `${what}; at most`, value, unit, floor: null, ratio: null, target, ok: value <= target }
}
