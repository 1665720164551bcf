import { describe, expect, test } from 'vitest'
import type { RolloutStrategy } from '../../src/hooks/roles.ts'
import { scriptedPolicy } from '../../src/testing/scripted-policy.ts'
import { CounterInstance, CounterWorld } from './counter-environment.ts'
import { collectAll, drawsOf, engineOf } from './engine-of.ts'
import { fastClock } from './fast-clock.ts'

const add = { tool: 'add', arguments: { by: 1 } }
const never = () => new Promise<never>(() => {})

describe('cancellation of a collection', () => {
  test('reaches the policy, keeps finished groups, closes every world and says that it was interrupted', async () => {
    const abort = new AbortController()
    let told = 0
    const script = scriptedPolicy([add, 'Done.'])
    const policy = {
      ...script,
      sample: (...[request, signal]: Parameters<typeof script.sample>) => {
        if (!request.messages[1]!.content!.includes('(2)')) return script.sample(request, signal)
        signal.addEventListener('abort', () => told++, { once: true })
        if (++waiting === 2) setTimeout(() => abort.abort(), 30)
        return never()
      },
    }
    let waiting = 0
    const { engine, world } = await engineOf({ policy })
    const groups: string[] = []
    const collecting = (async () => {
      const request = { draws: drawsOf(4), rolloutsPerDraw: 2, purpose: 'train' } as const
      for await (const group of engine.collect(request, abort.signal)) groups.push(group.drawId)
    })()
    await expect(collecting).rejects.toMatchObject({ code: 'RLENV_INTERRUPTED' })
    expect(groups).toEqual(['d0', 'd1'])
    expect(told).toBe(2)
    expect(world.instances.every((instance) => instance.closed === 1)).toBe(true)
  })

  test('plays nothing when the signal has aborted before', async () => {
    const { engine, world } = await engineOf()
    await expect(collectAll(engine, {}, AbortSignal.abort())).rejects.toMatchObject({ code: 'RLENV_INTERRUPTED' })
    expect(world.instances).toHaveLength(0)
  })

  test('does not wait for ever for a strategy that ignores it', async () => {
    const strategy: RolloutStrategy = { name: 'deaf', run: never }
    const abort = new AbortController()
    const { engine } = await engineOf({ strategy, clock: fastClock(200) })
    const collecting = collectAll(engine, {}, abort.signal)
    abort.abort()
    await expect(collecting).rejects.toMatchObject({ code: 'RLENV_INTERRUPTED' })
  })

  test('a caller that leaves early ends what is in flight', async () => {
    const { engine, world } = await engineOf({ policy: scriptedPolicy([add, 'Done.'], { delayMs: 2 }) })
    const request = { draws: drawsOf(8), rolloutsPerDraw: 2, purpose: 'train' } as const
    for await (const group of engine.collect(request, new AbortController().signal)) {
      expect(group.drawId).toBe('d0')
      break
    }
    expect(world.instances.every((instance) => instance.closed === 1)).toBe(true)
  })
})

describe('progress', () => {
  test('a rollout that ignores its limits is given up, named by what it waited for', async () => {
    const strategy: RolloutStrategy = {
      name: 'stuck',
      run: async ({ world, environment, policy, random, sampling, signal }) => {
        await world.open({ environment, seed: 1 }, signal)
        await policy.sample({ messages: [], tools: [], role: 'act', sampling, random }, signal)
        return never()
      },
    }
    const policy = scriptedPolicy(['Done.'], { delayMs: 600_000 })
    const parts = { strategy, policy, clock: fastClock(500), config: { maxAttempts: 1 } }
    const { engine, world } = await engineOf(parts)
    const [group] = await collectAll(engine, { draws: drawsOf(1), rolloutsPerDraw: 1 })
    expect(group!.members[0]!.outcome).toMatchObject({
      kind: 'environment_fault',
      code: 'rollout_stalled',
      message: expect.stringContaining('nothing came from policy scripted for'),
    })
    expect(world.instances.map((instance) => instance.closed)).toEqual([1])
  })

  test('a world that opens after its rollout was given up is closed at once', async () => {
    const late = new CounterInstance()
    const opening = new Promise<CounterInstance>((resolve) => setTimeout(() => resolve(late), 60))
    const world = new CounterWorld(() => opening)
    const { engine } = await engineOf({ world, config: { toolTimeoutMs: 20, maxAttempts: 1 } })
    const [group] = await collectAll(engine, { draws: drawsOf(1), rolloutsPerDraw: 1 })
    expect(group!.members[0]!.outcome).toMatchObject({ code: 'world_open_timeout' })
    await opening
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(late.closed).toBe(1)
  })
})
