import fc from 'fast-check'
import { RandomStream } from 'rlenv'
import { groupOf, type MemberSpec } from 'rlenv/testing'
import { describe, expect, test } from 'vitest'
import { WeightedDraws, type WeightOptions } from '../src/weighted-draws.ts'

const defaults: WeightOptions = { window: 6, floor: 0.1, ties: 'passed' }

function samplerOf(count: number, options: Partial<WeightOptions> = {}, seed = 1): WeightedDraws {
  const ids = Array.from({ length: count }, (_, index) => `t${index}`)
  return new WeightedDraws(ids, RandomStream.of(seed, 'sampler'), { ...defaults, ...options })
}

function observe(sampler: WeightedDraws, taskId: string, ...groups: readonly (readonly MemberSpec[])[]): void {
  for (const rewards of groups) sampler.observe(groupOf(rewards, { taskId }))
}

const weightOf = (sampler: WeightedDraws, id: string) => sampler.weights().get(id) ?? Number.NaN
const passes = [1, 1, 1, 1]
const failures = [-1, -1, -1, -1]
const mixed = [1, -1, 1, -1]

describe('weights', () => {
  test('are equal before anything was seen', () => {
    expect([...samplerOf(4).weights().values()]).toEqual([0.25, 0.25, 0.25, 0.25])
  })

  test('fall for a task that is always solved and stay for one whose groups differ', () => {
    const sampler = samplerOf(2)
    observe(sampler, 't0', passes, passes, passes)
    observe(sampler, 't1', mixed, mixed, mixed)
    // 0.1 + 0.9 · 1/4 = 0.325 against 1
    expect(weightOf(sampler, 't0')).toBeCloseTo(0.325 / 1.325, 12)
    expect(weightOf(sampler, 't1')).toBeCloseTo(1 / 1.325, 12)
  })

  test('do not fall for a task that always fails, unless every tie counts', () => {
    const [lenient, strict] = [samplerOf(2), samplerOf(2, { ties: 'all' })]
    for (const sampler of [lenient, strict]) observe(sampler, 't0', failures, failures)
    expect(weightOf(lenient, 't0')).toBe(0.5)
    expect(weightOf(strict, 't0')).toBeLessThan(0.5)
  })

  test('forget what lies before the window', () => {
    const sampler = samplerOf(2, { window: 2 })
    observe(sampler, 't0', passes, passes, passes, mixed, mixed)
    expect(weightOf(sampler, 't0')).toBe(0.5)
  })

  test('do not move for groups that say nothing: faults, or a single member that counts', () => {
    const sampler = samplerOf(2)
    observe(sampler, 't0', ['environment_fault', 'environment_fault'], [1, 'environment_fault'])
    expect(weightOf(sampler, 't0')).toBe(0.5)
  })

  test('ignore a fault inside a group of passes', () => {
    const sampler = samplerOf(2)
    observe(sampler, 't0', [1, 'environment_fault', 1])
    expect(weightOf(sampler, 't0')).toBeLessThan(0.5)
  })

  test('sum to one and never fall below the floor, whatever was seen', () => {
    const group = fc.constantFrom(passes, failures, mixed, ['environment_fault', 1] as const)
    const seen = fc.array(fc.tuple(fc.nat(4), group), { maxLength: 60 })
    fc.assert(
      fc.property(seen, fc.constantFrom('passed' as const, 'all' as const), (groups, ties) => {
        const sampler = samplerOf(5, { ties })
        for (const [task, rewards] of groups) observe(sampler, `t${task}`, rewards)
        const weights = [...sampler.weights().values()]
        expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12)
        expect(Math.min(...weights)).toBeGreaterThanOrEqual((0.1 * Math.max(...weights)) / (1 + 1e-12))
      }),
      { numRuns: 100 },
    )
  })
})

describe('draw', () => {
  test('gives no task twice while there are others, and begins anew after that', () => {
    const drawn = samplerOf(5).draw(12)
    expect(new Set(drawn.slice(0, 5)).size).toBe(5)
    expect(new Set(drawn.slice(5, 10)).size).toBe(5)
  })

  test('draws nothing when there are no tasks', () => {
    expect(samplerOf(0).draw(3)).toEqual([])
  })

  test('draws single tasks as often as their weights say', () => {
    const sampler = samplerOf(3)
    observe(sampler, 't0', passes, passes, passes, passes, passes, passes)
    const expected = sampler.weights()
    const counts = new Map<string, number>()
    const rounds = 20_000
    for (let round = 0; round < rounds; round++) {
      const [id = ''] = sampler.draw(1)
      counts.set(id, (counts.get(id) ?? 0) + 1)
    }
    for (const [id, weight] of expected) expect((counts.get(id) ?? 0) / rounds).toBeCloseTo(weight, 1.7)
  })
})

describe('restore', () => {
  test('goes on from a saved state as if nothing had happened', () => {
    const straight = samplerOf(6)
    observe(straight, 't1', passes, mixed)
    straight.draw(4)
    const resumed = samplerOf(6, {}, 99)
    resumed.restore(JSON.parse(JSON.stringify(straight.state())))
    expect(resumed.weights()).toEqual(straight.weights())
    expect(resumed.draw(20)).toEqual(straight.draw(20))
  })

  test('refuses a state of other tasks and names one', () => {
    const state = { random: [1, 2, 3, 4], signals: { t9: ['tied'] } }
    expect(() => samplerOf(3).restore(state)).toThrow('"t9", which is not among the 3 tasks')
  })

  test('a state is not changed by what the sampler sees later', () => {
    const sampler = samplerOf(2)
    observe(sampler, 't0', passes)
    const state = sampler.state()
    const before = JSON.stringify(state)
    observe(sampler, 't0', mixed)
    sampler.draw(5)
    expect(JSON.stringify(state)).toBe(before)
  })
})
