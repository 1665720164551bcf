import { type StratifiedSamplerOptions, stratifiedSampler } from '@rlenv/sampler-stratified'
import fc from 'fast-check'
import { assemblePipeline, type Environment, type Task, type TaskSampler } from 'rlenv'
import { testSlotContext, tinyEnvironment } from 'rlenv/testing'
import { describe, expect, test } from 'vitest'

const template = tinyEnvironment()

/** An environment with so many tasks, below a branch of the taxonomy. */
function environmentOf(id: string, taxonomy: readonly string[], tasks: readonly Partial<Task>[]): Environment {
  return {
    ...template,
    id,
    scenario: { ...template.scenario, id, taxonomy },
    tasks: tasks.map((parts, index) => {
      return { ...template.tasks[0]!, id: `${id}/t${index}`, environmentId: id, ...parts }
    }),
  }
}

const plain = (count: number) => Array.from({ length: count }, () => ({}))
const environments = [
  environmentOf('bank', ['finance', 'bank'], plain(20)),
  environmentOf('clinic', ['health', 'clinic'], plain(4)),
  environmentOf('vet', ['health', 'vet'], plain(4)),
]

async function samplerOf(options: StratifiedSamplerOptions, given = environments, seed = 1): Promise<TaskSampler> {
  const pipeline = await assemblePipeline([{ name: 'test', plugins: [stratifiedSampler(options)] }])
  const tasks = given.flatMap((environment) => environment.tasks)
  return pipeline.slot('sampler', { ...testSlotContext(seed), tasks, environments: given })
}

function countsBy(ids: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const id of ids) {
    const name = id.split('/')[0] ?? ''
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

describe('stratifiedSampler', () => {
  test('draws branches of the taxonomy equally often, however many tasks they have', async () => {
    const counts = countsBy((await samplerOf({})).draw(80))
    expect(counts.bank).toBe(40)
    expect((counts.clinic ?? 0) + (counts.vet ?? 0)).toBe(40)
  })

  test('tells deeper levels apart when told so', async () => {
    expect(countsBy((await samplerOf({ depth: 2 })).draw(60))).toEqual({ bank: 20, clinic: 20, vet: 20 })
  })

  test('follows the weights that it is given', async () => {
    const sampler = await samplerOf({ by: 'environment', weights: { bank: 2, clinic: 0 } })
    expect(countsBy(sampler.draw(90))).toEqual({ bank: 60, vet: 30 })
  })

  test('cuts difficulty into bands', async () => {
    const graded = environmentOf('shop', ['trade'], [{ difficulty: 0 }, { difficulty: 0.1 }, { difficulty: 1 }])
    const drawn = (await samplerOf({ by: 'difficulty', difficultyBands: 2 }, [graded])).draw(40)
    expect(drawn.filter((id) => id === 'shop/t2')).toHaveLength(20)
  })

  test('comes to every task of a stratum once per pass', async () => {
    const drawn = (await samplerOf({ by: 'environment' })).draw(12).filter((id) => id.startsWith('vet/'))
    expect(new Set(drawn).size).toBe(4)
  })

  test('stays within one draw of every share, however draws are cut', async () => {
    const weights = fc.record({ bank: fc.integer({ min: 1, max: 5 }), clinic: fc.integer({ min: 1, max: 5 }) })
    await fc.assert(
      fc.asyncProperty(weights, fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 8 }), async (given, sizes) => {
        const sampler = await samplerOf({ by: 'environment', weights: given })
        const drawn = sizes.flatMap((size) => sampler.draw(size))
        const total = given.bank + given.clinic + 1
        const counts = countsBy(drawn)
        for (const [name, weight] of Object.entries({ ...given, vet: 1 })) {
          expect(Math.abs((counts[name] ?? 0) - (drawn.length * weight) / total)).toBeLessThan(2)
        }
      }),
      { numRuns: 40 },
    )
  })

  test('goes on from a saved state in mid-pass', async () => {
    const straight = await samplerOf({})
    straight.draw(7)
    const resumed = await samplerOf({}, environments, 99)
    resumed.restore(JSON.parse(JSON.stringify(straight.state())))
    expect(resumed.draw(30)).toEqual(straight.draw(30))
  })

  test.each([
    [{ by: 'environment', weights: { shop: 1 } }, 'there is no stratum "shop"; the strata are bank, clinic, vet'],
    [{ by: 'environment', weights: { bank: 0, clinic: 0, vet: 0 } }, 'every stratum has the weight 0'],
  ] as const)('refuses the options %j', async (options, message) => {
    await expect(samplerOf(options)).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_OPTIONS',
      message: expect.stringContaining(message),
    })
  })
})
