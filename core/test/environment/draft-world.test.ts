import { describe, expect, test } from 'vitest'
import { freezeData } from '../../src/determinism/freeze-data.ts'
import { draftWorld } from '../../src/environment/draft-world.ts'
import { tinyEnvironment } from '../../src/testing/tiny-environment.ts'

const { database, tools, scripts, tasks } = tinyEnvironment()
const world = (seed = 1) => draftWorld({ database, toolset: { tools, scripts }, seed })
const gold = structuredClone(tasks[0]?.gold ?? { calls: [], answer: null })

describe('draftWorld', () => {
  test('carries frozen calls out once, also for the next stage, and lets nobody change what came of them', () => {
    const calls = freezeData(structuredClone(gold.calls))
    const run = world().run(calls, gold.answer)
    expect(run.calls.length).toBeGreaterThan(0)
    expect(run.succeeded).toBe(true)
    expect(world().run(calls, gold.answer)).toBe(run)
    expect(Object.isFrozen(run.calls) && Object.isFrozen(run.diff)).toBe(true)
  })

  test('carries calls that may still change out each time', () => {
    const calls = structuredClone([...gold.calls])
    const run = world().run(calls, gold.answer)
    calls.pop()
    expect(world().run(calls, gold.answer).calls).toHaveLength(run.calls.length - 1)
  })

  test('takes frozen calls with another seed or another answer as another run', () => {
    const calls = freezeData(structuredClone(gold.calls))
    const run = world().run(calls, 'one')
    expect(world().run(calls, 'two')).toEqual({ ...run, answer: 'two' })
    expect(world(2).run(calls, 'one')).not.toBe(run)
  })
})
