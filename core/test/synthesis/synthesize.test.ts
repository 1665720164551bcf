import { describe, expect, test } from 'vitest'
import type { ScenarioContext } from '../../src/hooks/contexts.ts'
import { synthesize } from '../../src/synthesis/synthesize.ts'
import { tinyHooks } from '../../src/testing/tiny-plugin.ts'
import type { DatabaseDraft } from '../../src/vocabulary/database.ts'
import { failureOf, synthesisRequest } from './synthesis-request.ts'

const stages = ['database', 'tools', 'tasks', 'verifiers', 'gate']

describe('synthesize', () => {
  test('makes as many valid environments as asked for, in the order of their scenarios', async () => {
    const report = await synthesize(await synthesisRequest())
    expect(report.environments.map(({ id }) => id)).toEqual(['library-1', 'library-2', 'library-3'])
    expect(report.environments.map(({ tasks }) => tasks.length)).toEqual([4, 4, 4])
    expect(report).toMatchObject({ wanted: 3, tasks: 12, dropped: [], verifierKillRate: 1, costUsd: 0 })
    expect(report.stages.map(({ stage, yield: share, meanAttempts }) => [stage, share, meanAttempts])).toEqual(
      stages.map((stage) => [stage, 1, 1]),
    )
  })

  test('writes down who made what and gives each environment a seed of its own', async () => {
    const { environments } = await synthesize(await synthesisRequest())
    const [first] = environments
    expect(first?.provenance).toEqual(
      ['scenarios', ...stages].map((stage) => ({ stage, plugins: ['tiny-library@1.0.0'], attempts: 1, costUsd: 0 })),
    )
    expect(new Set(environments.map(({ seed }) => seed)).size).toBe(3)
    expect(new Set(environments.map(({ database }) => database.data)).size).toBe(3)
  })

  test('gives an environment the same bytes whatever else the run makes', async () => {
    const few = await synthesize(await synthesisRequest({ settings: { environments: 1 } }))
    const many = await synthesize(await synthesisRequest({ settings: { environments: 2 } }))
    expect(JSON.stringify(many.environments[0])).toBe(JSON.stringify(few.environments[0]))
  })

  test('announces every stage and every environment', async () => {
    const request = await synthesisRequest({ settings: { environments: 1 } })
    await synthesize(request)
    expect(request.heard).toEqual([
      { type: 'stage:end', stage: 'scenarios', environmentId: null, cached: false, attempts: 1, durationMs: 1 },
      ...stages.map((stage) => {
        const durationMs = expect.any(Number)
        return { type: 'stage:end', stage, environmentId: 'library-1', cached: false, attempts: 1, durationMs }
      }),
      {
        type: 'environment:end',
        environmentId: 'library-1',
        accepted: true,
        tasks: 4,
        reason: null,
        done: 1,
        total: 1,
      },
    ])
  })
})

describe('a try that does not work', () => {
  test('is repeated with what went wrong, and its cost counts', async () => {
    const feedbacks: (string | null)[] = []
    const dbMiner = (draft: DatabaseDraft, context: ScenarioContext): DatabaseDraft => {
      feedbacks.push(context.feedback)
      context.spend(0.25)
      const database = tinyHooks.dbMiner(draft, context)
      return context.attempt < 3
        ? { ...database, data: `${database.data}INSERT INTO loans VALUES (99, 99, 1, 'active', '');` }
        : database
    }
    const report = await synthesize(await synthesisRequest({ hooks: { dbMiner }, settings: { environments: 1 } }))
    expect(feedbacks).toEqual([
      null,
      expect.stringMatching(
        /^Try 1 was executed and not accepted; 1 thing was wrong:\n- .*loans rowid 99: loans\.member_id refers to no row of members/,
      ),
      expect.stringMatching(/^Try 2/),
    ])
    expect(report.stages[0]).toMatchObject({ stage: 'database', meanAttempts: 3, costUsd: 0.75 })
    expect(report.environments[0]?.provenance[1]).toMatchObject({ stage: 'database', attempts: 3, costUsd: 0.75 })
  })

  test('gets another random stream each time', async () => {
    const drawn: number[] = []
    const dbMiner = (_draft: DatabaseDraft, { random }: ScenarioContext): DatabaseDraft => {
      drawn.push(random.uint32())
      throw new Error('no luck')
    }
    await failureOf(await synthesisRequest({ hooks: { dbMiner }, settings: { environments: 1, maxAttempts: 3 } }))
    expect(new Set(drawn).size).toBe(3)
  })

  test('leaves the best one when none is accepted, without its broken parts', async () => {
    const toolGenerator: typeof tinyHooks.toolGenerator = (toolset) => {
      const { tools } = tinyHooks.toolGenerator(toolset)
      const broken = {
        ...tools[0]!,
        name: 'broken',
        implementation: {
          kind: 'sql' as const,
          steps: [{ kind: 'rows' as const, sql: 'SELECT id FROM nowhere' }],
        },
      }
      return { ...toolset, tools: [...tools, broken] }
    }
    const report = await synthesize(
      await synthesisRequest({ hooks: { toolGenerator }, settings: { environments: 1, maxAttempts: 2 } }),
    )
    const [database, tools] = report.stages
    expect(database?.droppedItems).toEqual([])
    expect(tools).toMatchObject({ passed: 1, meanAttempts: 2 })
    expect(tools?.droppedItems).toEqual([
      { reason: 'tool_refused', count: 1, example: 'broken: step 1 "SELECT id FROM nowhere" no such table: nowhere' },
    ])
    expect(report.environments[0]?.tools.map(({ name }) => name)).not.toContain('broken')
  })
})
