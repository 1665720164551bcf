import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RandomStream } from '../../src/determinism/random-stream.ts'
import { minibatches } from '../../src/training/minibatches.ts'
import type { TrainingSample } from '../../src/vocabulary/training-sample.ts'
import { trainingSample } from './loss/training-sample.ts'

const random = () => RandomStream.of(1, 'minibatches')

/** `turns` samples of each of `trajectories` rollouts. */
function samplesOf(trajectories: number, turns = 1): TrainingSample[] {
  return Array.from({ length: trajectories * turns }, (_, index) => {
    const sample = trainingSample({ advantages: [1], old: [-1] })
    return {
      ...sample,
      trajectory: { ...sample.trajectory, id: `d/${Math.floor(index / turns)}` },
      turns: [index % turns],
    }
  })
}

describe('minibatches', () => {
  test('never splits a trajectory', () => {
    const cut = minibatches(samplesOf(7, 3), 3, random())
    const owners = cut.map((samples) => new Set(samples.map(({ trajectory }) => trajectory.id)))
    expect(owners.reduce((total, own) => total + own.size, 0)).toBe(7)
  })

  test('loses nothing, repeats nothing, and differs in size by at most one trajectory', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 9 }), (trajectories, count) => {
        const samples = samplesOf(trajectories)
        const cut = minibatches(samples, count, random())
        expect(new Set(cut.flat())).toEqual(new Set(samples))
        const sizes = cut.map(({ length }) => length)
        expect(cut).toHaveLength(Math.min(count, trajectories))
        if (sizes.length > 0) expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('shuffles by the stream it is given', () => {
    const samples = samplesOf(20)
    expect(minibatches(samples, 2, random())).toEqual(minibatches(samples, 2, random()))
    expect(minibatches(samples, 2, RandomStream.of(2, 'minibatches'))).not.toEqual(minibatches(samples, 2, random()))
  })
})
