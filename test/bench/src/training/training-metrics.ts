import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { grpo } from '@rlenv/algorithm-grpo'
import { blueprint } from '@rlenv/blueprint'
import { embeddedLearner } from '@rlenv/learner-embedded'
import { uniformSampler } from '@rlenv/sampler-uniform'
import { ternaryShaper } from '@rlenv/shaper-ternary'
import { codeVerifier } from '@rlenv/verifier-code'
import {
  ArtifactStore,
  assemblePipeline,
  corePlugins,
  keepAllGroups,
  RunDirectory,
  type RunEvent,
  resolveConfig,
  synthesize,
  systemClock,
  train,
} from 'rlenv'
import type { Metric } from '../metric.ts'
import { lossMetrics } from './loss-metrics.ts'

const signal = new AbortController().signal

/** Trains the embedded policy for some steps of 16 × 8 rollouts; seconds of each step by what they went to. */
async function trainingSeconds(
  root: string,
  steps: number,
): Promise<{ readonly generate: number; readonly learn: number }> {
  const plugins = [
    blueprint(),
    codeVerifier(),
    ternaryShaper(),
    uniformSampler(),
    keepAllGroups(),
    grpo(),
    embeddedLearner(),
  ]
  const sizes = { steps, tasksPerStep: 16, rolloutsPerTask: 8, optimizerStepsPerStep: 4 }
  const loaded = await resolveConfig(
    {
      plugins,
      synthesis: { environments: 8, minTasksPerEnvironment: 1 },
      rollout: { maxTurns: 12 },
      training: sizes,
      evaluation: { heldOutShare: 0 },
    },
    { command: 'train', core: corePlugins(), cwd: root },
  )
  const { config } = loaded
  const pipeline = await assemblePipeline(loaded.layers, { command: 'train' })
  const silent = () => undefined
  const store = new ArtifactStore(join(root, 'artifacts'))
  const { environments } = await synthesize({ pipeline, config, store, events: silent, clock: systemClock, signal })
  const options = { root, kind: 'train', name: 'bench', model: 'embedded', config, clock: systemClock }
  const records = await RunDirectory.create(options)
  const seconds = { generate: 0, learn: 0 }
  const events = (event: RunEvent) => {
    // The first step also warms up what the others reuse.
    if (event.type !== 'step:end' || event.step === 0) return
    seconds.generate += event.metrics['time/generate'] ?? 0
    seconds.learn += event.metrics['time/learn'] ?? 0
  }
  await train({ pipeline, config, environments, records, events, clock: systemClock, resume: false }, signal)
  await records.close()
  return { generate: seconds.generate / (steps - 1), learn: seconds.learn / (steps - 1) }
}

/** Losses against a bare loop, and whole training steps of the embedded learner. */
export async function trainingMetrics(options: { readonly smoke?: boolean } = {}): Promise<Metric[]> {
  const root = await mkdtemp(join(tmpdir(), 'rlenv-bench-training-'))
  try {
    const { generate, learn } = await trainingSeconds(root, options.smoke ? 2 : 8)
    const value = 1 / (generate + learn)
    const reported = { floor: null, ratio: null, target: null, ok: true }
    return [
      ...lossMetrics(),
      {
        id: 'L21',
        what: 'embedded training steps of 16 × 8 rollouts and 4 optimiser steps',
        value,
        unit: '1/s',
        ...reported,
      },
      { id: 'L22', what: 'share of such a step that the learner takes', value: learn * value, unit: '', ...reported },
    ]
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}
