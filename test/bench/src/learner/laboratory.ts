import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { arena } from '@rlenv/preset-arena'
import { uniformSampler } from '@rlenv/sampler-uniform'
import {
  ArtifactStore,
  assemblePipeline,
  corePlugins,
  type Environment,
  type EvaluationReport,
  evaluate,
  keepAllGroups,
  loadCheckpoint,
  openEvaluation,
  type Plugin,
  resolveConfig,
  synthesize,
  systemClock,
  train,
} from 'rlenv'
import { NoRecords } from './no-records.ts'

/** 16 tasks × 8 rollouts in 4 optimiser steps. */
const step = { tasksPerStep: 16, rolloutsPerTask: 8, optimizerStepsPerStep: 4 }

/** Rollouts of one training step. */
export const rolloutsPerStep = step.tasksPerStep * step.rolloutsPerTask

const { signal } = new AbortController()
const events = () => undefined

/** One training run and what is played afterwards. */
export interface Experiment {
  readonly train: readonly Environment[]
  readonly heldOut: readonly Environment[]
  readonly steps: number
  readonly seed: number
  /** Replaces what the preset brings. */
  readonly plugins?: readonly Plugin[]
}

/** Success, 0 to 1, on environments that were not trained on. */
export interface Success {
  readonly sampled: number
  readonly greedy: number
}

/** The preset `arena` without what it adds to plain GRPO, so that the numbers tell of environments and learner alone. */
async function open(seed: number, options: { environments?: number; steps?: number; plugins?: readonly Plugin[] }) {
  const { steps = 1 } = options
  const { config, layers } = await resolveConfig(
    {
      extends: arena(options.environments === undefined ? {} : { environments: options.environments }),
      plugins: [uniformSampler(), keepAllGroups(), ...(options.plugins ?? [])],
      without: ['@rlenv/groups-replay'],
      // A control whose policy can do nothing any more still runs to its end.
      training: { ...step, maxStaleness: 0, steps, checkpointEverySteps: steps, stopAfterDeadSteps: steps + 3 },
      evaluation: { heldOutShare: 0 },
      seed,
    },
    { command: 'train', core: corePlugins() },
  )
  return { config, pipeline: await assemblePipeline(layers) }
}

/** Runs experiments on environments that are synthesised once, in a folder that is removed at the end. */
export class Laboratory {
  readonly #directory: string
  #runs = 0

  private constructor(directory: string) {
    this.#directory = directory
  }

  static async use<T>(work: (laboratory: Laboratory) => Promise<T>): Promise<T> {
    const directory = await mkdtemp(join(tmpdir(), 'rlenv-bench-laboratory-'))
    try {
      return await work(new Laboratory(directory))
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  }

  /** Environments of the shipped seeds and, beyond those, of their variants. */
  async environments(count: number, seed: number): Promise<readonly Environment[]> {
    const { pipeline, config } = await open(seed, { environments: count })
    const store = new ArtifactStore(join(this.#directory, 'artifacts'))
    return (await synthesize({ pipeline, config, store, events, clock: systemClock, signal })).environments
  }

  /** Success of the untrained policy. */
  async base(heldOut: readonly Environment[], seed: number): Promise<Success> {
    return this.#success(heldOut, seed, null)
  }

  /** Trains, then plays what was held out. */
  async trained({ train: environments, heldOut, steps, seed, plugins = [] }: Experiment): Promise<Success> {
    const { pipeline, config } = await open(seed, { steps, plugins })
    const records = new NoRecords(join(this.#directory, `run-${this.#runs++}`))
    await train({ pipeline, config, environments, records, events, clock: systemClock, resume: false }, signal)
    const saved = await loadCheckpoint(records.checkpointDirectory)
    return this.#success(heldOut, seed, saved?.learnerDirectory ?? null)
  }

  async #success(environments: readonly Environment[], seed: number, weights: string | null): Promise<Success> {
    const { pipeline, config } = await open(seed, {})
    const run = { pipeline, config, environments, events, clock: systemClock, needsLearner: true }
    const { engine, policy, learner, close } = await openEvaluation(run, signal)
    try {
      if (weights !== null) await learner?.load(weights)
      const settings = { ...config.evaluation, greedy: true }
      return successOf(await evaluate({ engine, environments, settings, seed, policy, step: null }, signal))
    } finally {
      await close()
    }
  }
}

function successOf({ sampled, greedy }: EvaluationReport): Success {
  return { sampled: sampled.pass1.value ?? 0, greedy: greedy?.pass1.value ?? 0 }
}
