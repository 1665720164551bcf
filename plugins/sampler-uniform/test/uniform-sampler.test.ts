import { type UniformSamplerOptions, uniformSampler } from '@rlenv/sampler-uniform'
import fc from 'fast-check'
import { assemblePipeline, type Task, type TaskSampler } from 'rlenv'
import { testSlotContext, tinyTasks } from 'rlenv/testing'
import { describe, expect, test } from 'vitest'

const template = tinyTasks('tiny-library')[0]!
const named = (count: number): readonly Task[] => {
  return Array.from({ length: count }, (_, index) => ({ ...template, id: `tiny-library/t${index}` }))
}

async function samplerOf(count: number, options: UniformSamplerOptions = {}, seed = 1): Promise<TaskSampler> {
  const pipeline = await assemblePipeline([{ name: 'test', plugins: [uniformSampler(options)] }])
  return pipeline.slot('sampler', { ...testSlotContext(seed), tasks: named(count), environments: [] })
}

function countsOf(ids: readonly string[]): readonly number[] {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return [...counts.values()]
}

describe('uniformSampler', () => {
  test('comes to every task once per pass, in another order each', async () => {
    const sampler = await samplerOf(40)
    const [first, second] = [sampler.draw(40), sampler.draw(40)]
    expect(countsOf(first)).toEqual(new Array(40).fill(1))
    expect(countsOf(second)).toEqual(new Array(40).fill(1))
    expect(second).not.toEqual(first)
  })

  test('goes on in the next pass when a draw reaches the end', async () => {
    const sampler = await samplerOf(5)
    const drawn = [...sampler.draw(3), ...sampler.draw(7)]
    expect(countsOf(drawn)).toEqual([2, 2, 2, 2, 2])
  })

  test('never lets two tasks differ by more than one, however draws are cut', async () => {
    const cuts = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(cuts, fc.integer({ min: 1, max: 12 }), async (sizes, tasks) => {
        const sampler = await samplerOf(tasks)
        const counts = countsOf(sizes.flatMap((size) => sampler.draw(size)))
        const all = [...counts, ...new Array(tasks - counts.length).fill(0)]
        expect(Math.max(...all) - Math.min(...all)).toBeLessThanOrEqual(1)
      }),
      { numRuns: 30 },
    )
  })

  test('with replacement a task may come again before another came once', async () => {
    const sampler = await samplerOf(40, { replacement: true })
    expect(Math.max(...countsOf(sampler.draw(40)))).toBeGreaterThan(1)
  })

  test.each([false, true])('goes on from a saved state in mid-pass (replacement: %s)', async (replacement) => {
    const straight = await samplerOf(7, { replacement })
    straight.draw(10)
    const resumed = await samplerOf(7, { replacement }, 99)
    resumed.restore(JSON.parse(JSON.stringify(straight.state())))
    expect(resumed.draw(25)).toEqual(straight.draw(25))
  })

  test.each([
    ['null', null],
    ['no stream', { remaining: [] }],
    ['a stream of three words', { random: [1, 2, 3], remaining: [] }],
  ])('refuses a state that is %s', async (_what, state) => {
    const sampler = await samplerOf(3)
    expect(() => sampler.restore(state)).toThrow(expect.objectContaining({ code: 'RLENV_CHECKPOINT_INVALID' }))
  })

  test('refuses a state of other tasks and names one', async () => {
    const state = { random: [1, 2, 3, 4], remaining: ['tiny-library/t0', 'shop/t9'] }
    const sampler = await samplerOf(3)
    expect(() => sampler.restore(state)).toThrow('"shop/t9", which is not among the 3 tasks')
  })
})
