import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TrajectoryGroup } from '../../src/vocabulary/trajectory.ts'
import { drawsOf, metricsOf, remains, stepLine, timingsOf, tracesOf } from './run-remains.ts'
import { TabularLearner } from './tabular-learner.ts'
import { libraries, trainTiny } from './training-run.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rlenv-train-'))
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

/** A policy that never solves anything: the first arm is out of reach. */
const hopeless = () => new TabularLearner(libraries, { initial: [-50, 0, 0] })

describe('train', () => {
  test('raises success on environments that it never trains on', async () => {
    const { report } = await trainTiny({ root, training: { steps: 12 } })
    expect(report.before?.sampled.pass1.value).toBeLessThan(0.5)
    expect(report.after?.sampled.pass1.value).toBeGreaterThan(0.8)
    expect(report.after?.greedy?.pass1.value).toBe(1)
    const steps = await Promise.all(Array.from({ length: 12 }, (_, step) => tracesOf(root, step, 'train/all')))
    const trained = new Set(steps.flat().map(({ env }) => env))
    const heldOut = report.after!.sampled.byEnvironment.map(({ name }) => name)
    expect(heldOut).toHaveLength(2)
    expect(heldOut.filter((id) => trained.has(id))).toEqual([])
    expect(report.counters).toMatchObject({ rollouts: 12 * 16 })
  })

  test('writes one line of metrics per step and one per evaluation, in the names of the field', async () => {
    await trainTiny({ root, training: { steps: 2 } })
    const lines = await metricsOf(root)
    expect(lines.map((line) => [line.step, 'reward/mean' in line ? 'step' : 'evaluation'])).toEqual([
      [0, 'evaluation'],
      [0, 'step'],
      [1, 'step'],
      [2, 'evaluation'],
    ])
    const names = Object.keys(lines[1]!)
    expect(names).toEqual(
      expect.arrayContaining([
        'reward/mean',
        'pass/mean',
        'reward/frac_zero_std',
        'reward/frac_zero_std_generated',
        'group/effective_frac',
        'advantage/zero_frac',
        'rollouts/generated',
        'rollouts/generated_per_used',
        'rollouts/refills',
        'optimizer/steps',
        'clip_frac',
        'is_ratio/mean',
        'is_ratio/max',
        'grad_norm',
        'faults/masked',
        'staleness/max',
        'stop/completed',
        'rollout/turns',
      ]),
    )
    expect(names.filter((name) => name.startsWith('time/'))).toEqual([])
    expect(lines[1]).toMatchObject({ 'staleness/max': 0, 'is_ratio/max': 1, 'stop/completed': 1 })
  })

  test('gives the same traces, metrics and weights whatever the concurrency', async () => {
    const run = async (maxConcurrentRollouts: number) => {
      const own = join(root, `c${maxConcurrentRollouts}`)
      await trainTiny({ root: own, rollout: { maxConcurrentRollouts } })
      return remains(own)
    }
    const alone = await run(1)
    expect(await run(3)).toEqual(alone)
    expect(await run(64)).toEqual(alone)
  })

  test('another seed gives other draws', async () => {
    const tasks = async (seed: number) => {
      const own = join(root, String(seed))
      await trainTiny({ root: own, seed, training: { steps: 1 } })
      return (await tracesOf(own, 0, 'train/all')).map(({ task_id }) => task_id)
    }
    expect(await tasks(1)).not.toEqual(await tasks(2))
  })

  test('cuts a batch into as many optimiser steps as asked, and publishes once', async () => {
    const { report } = await trainTiny({ root, training: { steps: 1, optimizerStepsPerStep: 4 } })
    expect(await stepLine(root)).toMatchObject({ 'optimizer/steps': 4 })
    expect(report.policyVersion).toBe(1)
  })

  test('evaluates in between when told so, and draws the curve', async () => {
    await trainTiny({ root, training: { steps: 4, evaluateEverySteps: 2 } })
    const left = await remains(root)
    const evaluations = Object.keys(left).filter((name) => name.startsWith('evaluations'))
    expect(evaluations).toEqual(['evaluations/step_0.json', 'evaluations/step_2.json', 'evaluations/step_4.json'])
    expect(left['curve.svg']?.match(/<circle/g)).toHaveLength(6)
    expect(left['report.html']).toContain('before')
  })

  test('writes the rollouts of the steps that it is told to, and those of every evaluation', async () => {
    await trainTiny({ root, training: { steps: 5, evaluateEverySteps: 1 }, output: { tracesEverySteps: 3 } })
    const left = Object.keys(await remains(root)).filter((name) => name.startsWith('rollouts'))
    expect(left.filter((name) => name.includes('train'))).toEqual([
      'rollouts/step_0/train/all/traces.jsonl',
      'rollouts/step_3/train/all/traces.jsonl',
    ])
    expect(left.filter((name) => name.includes('eval'))).toHaveLength(6)
    expect((await metricsOf(root)).filter((line) => 'reward/mean' in line)).toHaveLength(5)
  })

  test('writes down how long every rollout took, apart from everything that a seed decides', async () => {
    const { report } = await trainTiny({ root, training: { steps: 2 }, output: { tracesEverySteps: 2 } })
    const timings = await timingsOf(root)
    const played = ['before', 'after'].flatMap((side) => {
      const { sampled, greedy } = report[side as 'before' | 'after']!
      return [sampled.rollouts, greedy!.rollouts]
    })
    expect(timings).toHaveLength(2 * 16 + played.reduce((sum, count) => sum + count, 0))
    expect(new Set(timings.map(({ id }) => id)).size).toBe(timings.length)
    expect(timings.every(({ duration_ms }) => duration_ms >= 0)).toBe(true)
    expect(timings.map(({ id }) => id)).toEqual(expect.arrayContaining(['d0/0', 'd7/3', 'eval-0-sampled-0/0']))
  })

  test('trains without held-out environments, and then evaluates nothing', async () => {
    const { report } = await trainTiny({ root, training: { steps: 1 }, evaluation: { heldOutShare: 0 } })
    expect(report).toMatchObject({ finishedSteps: 1, before: null, after: null })
  })
})

describe('a run without gradient', () => {
  const training = { steps: 20, warnAfterDeadSteps: 2, stopAfterDeadSteps: 4 }

  test('warns, then stops with exit code 4 and the causes by count', async () => {
    const warnings: string[] = []
    const run = trainTiny({
      root,
      learner: hopeless(),
      training,
      onEvent: (event) => {
        if (event.type === 'warning' && event.message.includes('had a gradient')) warnings.push(event.message)
      },
    })
    await expect(run).rejects.toMatchObject({
      code: 'RLENV_DEAD_RUN',
      message: 'no group had a gradient for 4 steps: 16 groups none_passed',
    })
    expect(warnings).toEqual(['no group had a gradient for 2 steps: 8 groups none_passed'])
  })

  test('takes no optimiser step and publishes nothing', async () => {
    const learner = hopeless()
    await expect(trainTiny({ root, learner, training })).rejects.toThrow()
    expect(learner.policyVersion).toBe(0)
    expect((await metricsOf(root)).filter((line) => 'optimizer/steps' in line)).toHaveLength(4)
    expect(await stepLine(root, 3)).toMatchObject({
      'optimizer/steps': 0,
      'reward/frac_zero_std': 1,
      'rollouts/used': 0,
    })
  })

  test('is told from one whose rollouts do not count', async () => {
    const broken = {
      verifier: {
        prepare: () => undefined,
        judge: () => {
          throw new Error('judge is down')
        },
      },
    }
    const run = trainTiny({
      root,
      hooks: broken,
      training: { ...training, maxFailureShare: 1, maxRefills: 0 },
      evaluation: { heldOutShare: 0 },
    })
    await expect(run).rejects.toMatchObject({
      code: 'RLENV_DEAD_RUN',
      message: expect.stringContaining('too_few_counted'),
    })
    const line = await stepLine(root)
    expect(line).toMatchObject({ 'group/too_few_counted': 4, 'reward/frac_zero_std_generated': 0 })
  })

  test('says at the start when most groups must be flat', async () => {
    const { events } = await trainTiny({
      root,
      learner: new TabularLearner(libraries, { initial: [-1.5, 1, 0] }),
      training: { steps: 1, rolloutsPerTask: 2 },
      evaluation: { rolloutsPerTask: 16 },
    })
    const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []))
    expect(warnings).toEqual([
      expect.stringMatching(/2 rollouts per task, at least \d+ % of groups will have equal rewards/),
    ])
  })
})

describe('groups that are dropped', () => {
  const dropFirst = (groups: readonly TrajectoryGroup[]) => groups.slice(1)

  test('are drawn again until the step has its groups or its refills are spent', async () => {
    await trainTiny({
      root,
      hooks: { groups: dropFirst },
      training: { steps: 1, tasksPerStep: 4, maxRefills: 3 },
    })
    // 4 drawn, 3 kept; then 1 drawn and dropped, three times
    const line = await stepLine(root)
    expect(line).toMatchObject({
      'rollouts/refills': 3,
      'group/generated': 7,
      'group/kept': 3,
      'rollouts/generated': 28,
    })
    expect(await drawsOf(root, 0, 'train/all')).toEqual(['d0', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6'])
    expect(await drawsOf(root, 0, 'train/effective')).toEqual(['d1', 'd2', 'd3'])
  })

  test('metrics of a groups plugin are added up over the refills', async () => {
    const groups = (all: readonly TrajectoryGroup[], { metric }: { metric: (name: string, value: number) => void }) => {
      metric('mine/seen', all.length)
      return all.slice(1)
    }
    await trainTiny({ root, hooks: { groups }, training: { steps: 1, maxRefills: 1 } })
    expect(await stepLine(root)).toMatchObject({ 'mine/seen': 5 })
  })
})

describe('a budget of rollouts', () => {
  test('ends the run with the step that spends it, to the last rollout, and evaluates what came of it', async () => {
    const { report } = await trainTiny({ root, training: { steps: 50, maxRollouts: 40 }, evaluation: { maxTasks: 2 } })
    expect(report).toMatchObject({ finishedSteps: 3, counters: { rollouts: 40 }, after: { step: 3 } })
  })
})

describe('a split seed', () => {
  test('keeps the held-out environments the same whatever the seed of the run', async () => {
    const heldOut = async (seed: number) => {
      const parts = { root: join(root, String(seed)), seed, training: { steps: 1 }, evaluation: { splitSeed: 3 } }
      const { report } = await trainTiny(parts)
      return report.after?.sampled.byEnvironment.map(({ name }) => name)
    }
    expect(await heldOut(1)).toEqual(await heldOut(2))
  })
})
