import { describe, expect, test } from 'vitest'
import { RandomStream } from '../../src/determinism/random-stream.ts'
import { clusterDifferenceInterval, clusterInterval } from '../../src/evaluation/cluster-bootstrap.ts'

const options = (confidence = 0.95) => ({ confidence, random: RandomStream.of(1, 'bootstrap') })
const width = (interval: { low: number; high: number } | null) => interval!.high - interval!.low

describe('clusterInterval', () => {
  test('equal clusters leave no uncertainty', () => {
    const clusters = Array.from({ length: 9 }, () => ({ sum: 3, count: 10 }))
    expect(clusterInterval(clusters, options())).toEqual({ low: 0.3, high: 0.3 })
  })

  test('a single environment has no interval', () => {
    expect(clusterInterval([{ sum: 1, count: 10 }], options())).toBeNull()
  })

  test('one seed gives one interval', () => {
    const clusters = Array.from({ length: 9 }, (_, i) => ({ sum: i, count: 10 }))
    expect(clusterInterval(clusters, options())).toEqual(clusterInterval(clusters, options()))
  })

  test('tasks that agree inside an environment widen it over counting every task as its own', () => {
    const alike = Array.from({ length: 20 }, (_, i) => ({ sum: i % 2 === 0 ? 10 : 0, count: 10 }))
    const alone = Array.from({ length: 200 }, (_, i) => ({ sum: i % 2, count: 1 }))
    // standard errors sqrt(.25 / 20) = .112 and sqrt(.25 / 200) = .035
    expect(width(clusterInterval(alike, options()))).toBeGreaterThan(0.35)
    expect(width(clusterInterval(alone, options()))).toBeLessThan(0.16)
  })

  test('more confidence is wider', () => {
    const clusters = Array.from({ length: 12 }, (_, i) => ({ sum: i % 5, count: 5 }))
    expect(width(clusterInterval(clusters, options(0.99)))).toBeGreaterThan(
      width(clusterInterval(clusters, options(0.5))),
    )
  })

  test('covers the true rate about as often as it says', () => {
    const random = RandomStream.of(5, 'coverage')
    let covered = 0
    for (let trial = 0; trial < 200; trial++) {
      const clusters = Array.from({ length: 30 }, () => ({ sum: random.real() * 10, count: 10 }))
      const interval = clusterInterval(clusters, { confidence: 0.9, random: random.fork(trial), resamples: 300 })!
      if (interval.low <= 0.5 && 0.5 <= interval.high) covered += 1
    }
    expect(covered / 200).toBeGreaterThan(0.82)
    expect(covered / 200).toBeLessThan(0.97)
  })

  test('pairing by environment removes what makes environments unequal', () => {
    const pairs = Array.from({ length: 20 }, (_, i) => ({
      before: { sum: (i % 10) * 0.9, count: 10 },
      after: { sum: (i % 10) * 0.9 + 1, count: 10 },
    }))
    const paired = clusterDifferenceInterval(pairs, options())!
    expect(paired.low).toBeCloseTo(0.1, 9)
    expect(paired.high).toBeCloseTo(0.1, 9)
  })
})
