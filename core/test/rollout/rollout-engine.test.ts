import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { RolloutStrategy } from '../../src/hooks/roles.ts'
import { scriptedPolicy } from '../../src/testing/scripted-policy.ts'
import type { JudgedTrajectory, TrajectoryGroup } from '../../src/vocabulary/trajectory.ts'
import { CounterInstance, CounterWorld } from './counter-environment.ts'
import { collectAll, drawsOf, engineOf } from './engine-of.ts'
import { drawOf } from './play.ts'

const add = (by: number) => ({ tool: 'add', arguments: { by } })
const never = () => new Promise<never>(() => {})
const kindsOf = (group: TrajectoryGroup | undefined) => group?.members.map((member) => member.outcome.kind)

/** Every world that a test opened must be closed exactly once. */
function expectAllClosed(world: CounterWorld): void {
  expect(world.instances.map((instance) => instance.closed)).toEqual(world.instances.map(() => 1))
}

describe('createRolloutEngine', () => {
  test('yields one judged group per draw, in the order of draws', async () => {
    const { engine, world, events } = await engineOf()
    const groups = await collectAll(engine)
    expect(groups.map((group) => [group.drawId, group.ordinal, group.taskId, group.members.length])).toEqual([
      ['d0', 0, 'counter/t0', 4],
      ['d1', 1, 'counter/t1', 4],
      ['d2', 2, 'counter/t2', 4],
      ['d3', 3, 'counter/t3', 4],
    ])
    expect(groups[1]!.members.map((member) => member.trajectory.id)).toEqual(['d1/0', 'd1/1', 'd1/2', 'd1/3'])
    expect(groups[0]!.members.map((member) => member.reward)).toEqual([1, 1, 1, 1])
    expect(events.filter((event) => event.type === 'rollout:end')).toHaveLength(16)
    expectAllClosed(world)
  })

  test('loads many worlds at once without a warning of listeners', async () => {
    const warnings: string[] = []
    const hear = ({ name }: Error) => void warnings.push(name)
    process.on('warning', hear)
    const world = Object.assign(new CounterWorld(), { prepare: () => sleep(200) })
    const { engine } = await engineOf({ world, policy: scriptedPolicy(['Done.'], { delayMs: 20 }) })
    await collectAll(engine, { draws: drawsOf(8), rolloutsPerDraw: 1 })
    await sleep(0)
    process.off('warning', hear)
    expect(warnings).toEqual([])
  })

  test('gives the same groups whatever the concurrency and the delays', async () => {
    const policy = (delayMs?: () => number) => {
      const options = delayMs === undefined ? {} : { delayMs }
      return scriptedPolicy(({ random }, turn) => (turn < 3 ? add(random.int(5) - 1) : 'Done.'), options)
    }
    let wait = 0
    const runs = [
      { policy: policy(), config: { maxConcurrentRollouts: 1 } },
      { policy: policy(() => (wait = (wait * 7 + 3) % 11)), config: { maxConcurrentRollouts: 16 } },
      { policy: policy(() => 2), config: { maxConcurrentRollouts: 3 } },
    ]
    const texts: string[] = []
    for (const run of runs) texts.push(JSON.stringify(await collectAll((await engineOf(run)).engine)))
    expect(texts[1]).toBe(texts[0])
    expect(texts[2]).toBe(texts[0])
    expect(JSON.parse(texts[0]!)[0].members[0].trajectory.messages).not.toEqual(
      JSON.parse(texts[0]!)[0].members[1].trajectory.messages,
    )
  })

  test('never plays more rollouts at a time than allowed', async () => {
    let now = 0
    let most = 0
    const script = scriptedPolicy([add(1), 'Done.'], { delayMs: 1 })
    const policy = {
      ...script,
      sample: async (...args: Parameters<typeof script.sample>) => {
        most = Math.max(most, ++now)
        try {
          return await script.sample(...args)
        } finally {
          now--
        }
      },
    }
    await collectAll((await engineOf({ policy, config: { maxConcurrentRollouts: 5 } })).engine)
    expect(most).toBe(5)
  })

  test('lets timers run while everything answers at once', async () => {
    let ticks = 0
    const timer = setInterval(() => ticks++, 5)
    const { engine } = await engineOf({ tasks: 400, config: { maxConcurrentRollouts: 4 } })
    await collectAll(engine, { draws: drawsOf(400), rolloutsPerDraw: 4 })
    clearInterval(timer)
    expect(ticks).toBeGreaterThan(2)
  })

  test('starts no more draws than the window while nobody takes groups', async () => {
    const { engine, world } = await engineOf({ tasks: 200, config: { maxConcurrentRollouts: 4 } })
    const groups = engine.collect(
      { draws: drawsOf(200), rolloutsPerDraw: 2, purpose: 'train' },
      new AbortController().signal,
    )
    await groups.next()
    await sleep(50)
    expect(world.instances.length).toBeLessThan(40)
    await groups.return()
    expectAllClosed(world)
  })

  test('refuses a draw of a task that does not exist before anything is played, with near names', async () => {
    const { engine, world } = await engineOf()
    const collecting = collectAll(engine, { draws: [...drawsOf(2), drawOf('countr/t1', 2)] })
    await expect(collecting).rejects.toMatchObject({
      code: 'RLENV_SAMPLER_INVALID',
      message: expect.stringContaining('"countr/t1"'),
      fix: expect.stringContaining('counter/t1'),
    })
    expect(world.instances).toHaveLength(0)
  })

  test('plays another temperature and policy when a request asks for them', async () => {
    const { engine } = await engineOf()
    const policy = scriptedPolicy(['Nothing to do.'], { name: 'other' })
    const [group] = await collectAll(engine, { draws: drawsOf(1), policy, sampling: { temperature: 0 } })
    expect(group!.members[0]!.trajectory).toMatchObject({ model: 'other', turns: [{ span: { temperature: 0 } }] })
  })

  test('reports how long each rollout took, apart from its trajectory', async () => {
    const timings: string[] = []
    const { engine } = await engineOf()
    await collectAll(engine, { draws: drawsOf(1), onTiming: (timing) => timings.push(timing.id) })
    expect(timings.sort()).toEqual(['d0/0', 'd0/1', 'd0/2', 'd0/3'])
  })
})

describe('faults', () => {
  test('one of 16 models that never answers does not hold the step', async () => {
    const policy = scriptedPolicy(['Done.'])
    const sticking = {
      ...policy,
      sample: (...args: Parameters<typeof policy.sample>) =>
        args[0].random === stuck ? never() : policy.sample(...args),
    }
    let stuck: unknown
    const picking = {
      ...sticking,
      sample: (...args: Parameters<typeof policy.sample>) => {
        stuck ??= args[0].random
        return sticking.sample(...args)
      },
    }
    const config = { maxAttempts: 1, turnTimeoutMs: 60_000, rolloutTimeoutMs: 400 }
    const { engine, world } = await engineOf({ policy: picking, config })
    const groups = await collectAll(engine)
    const outcomes = groups.flatMap((group) => group.members.map((member) => member.outcome))
    expect(outcomes.filter((outcome) => outcome.kind === 'environment_fault')).toEqual([
      { kind: 'environment_fault', code: 'rollout_timeout', message: expect.any(String), retryable: true },
    ])
    expect(outcomes.filter((outcome) => outcome.kind === 'scored')).toHaveLength(15)
    expectAllClosed(world)
  })

  test('a retryable fault is tried again, under a number of its own, and the failed attempt is handed over', async () => {
    const world = new CounterWorld((count) => {
      if (count > 0) return new CounterInstance()
      return new CounterInstance({ call: () => Promise.reject(new Error('socket closed')) })
    })
    const failed: JudgedTrajectory[] = []
    const { engine } = await engineOf({ world })
    const groups = await collectAll(engine, {
      draws: drawsOf(1),
      rolloutsPerDraw: 2,
      onFailedAttempts: (attempts) => failed.push(...attempts),
    })
    expect(kindsOf(groups[0])).toEqual(['scored', 'scored'])
    expect(groups[0]!.members.map((member) => member.trajectory.attempt)).toEqual([2, 1])
    expect(failed.map((member) => [member.trajectory.id, member.trajectory.attempt, member.outcome.kind])).toEqual([
      ['d0/0', 1, 'environment_fault'],
    ])
    expectAllClosed(world)
  })

  test('a fault that trying again cannot mend is not tried again', async () => {
    const world = new CounterWorld(() => new CounterInstance({ call: () => null }))
    const { engine } = await engineOf({ world })
    const [group] = await collectAll(engine, { draws: drawsOf(1), rolloutsPerDraw: 1 })
    expect(group!.members[0]!.outcome).toMatchObject({ code: 'malformed_result', retryable: false })
    expect(world.instances).toHaveLength(1)
  })

  test('a task whose world never opens is tried a bounded number of times, then dropped by name', async () => {
    let opened = 0
    const world = new CounterWorld(() => {
      opened++
      throw new Error('no such image')
    })
    const { engine, events } = await engineOf({ world })
    const first = await collectAll(engine, { draws: drawsOf(1), rolloutsPerDraw: 2 })
    expect(kindsOf(first[0])).toEqual(['environment_fault', 'environment_fault'])
    expect(opened).toBe(6)
    expect([...engine.droppedTasks]).toEqual([['counter/t0', 'world counters did not open counter: no such image']])
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'warning', message: expect.stringContaining('task counter/t0 is dropped') }),
    )
    const again = await collectAll(engine, { draws: drawsOf(1), rolloutsPerDraw: 2 })
    expect(again[0]!.members[0]!.outcome).toMatchObject({ code: 'task_dropped' })
    expect(opened).toBe(6)
  })

  test('a group may hold one fault, or faults only', async () => {
    const world = new CounterWorld((count) => {
      return new CounterInstance(count % 4 === 1 || count >= 12 ? { call: () => null } : {})
    })
    const { engine } = await engineOf({ world, config: { maxConcurrentRollouts: 1 } })
    const groups = await collectAll(engine)
    expect(kindsOf(groups[0])).toEqual(['scored', 'environment_fault', 'scored', 'scored'])
    expect(new Set(kindsOf(groups[3]))).toEqual(new Set(['environment_fault']))
  })

  test('a world that hands out one instance twice is refused', async () => {
    const one = new CounterInstance()
    const { engine } = await engineOf({ world: new CounterWorld(() => one) })
    await expect(collectAll(engine)).rejects.toMatchObject({ code: 'RLENV_WORLD_SHARED', hook: 'world' })
    expect(one.closed).toBe(1)
  })

  test('a world that does not close is a warning', async () => {
    const close = () => Promise.reject(new Error('busy'))
    const { engine, events } = await engineOf({ world: new CounterWorld(() => new CounterInstance({ close })) })
    const groups = await collectAll(engine, { draws: drawsOf(1), rolloutsPerDraw: 1 })
    expect(kindsOf(groups[0])).toEqual(['scored'])
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'warning', message: 'an instance of world counters did not close: busy' }),
    )
  })

  test('a strategy that throws is a fault of its rollout, and what it opened is closed', async () => {
    const strategy: RolloutStrategy = {
      name: 'broken',
      run: async ({ world, environment, signal }) => {
        await world.open({ environment, seed: 1 }, signal)
        throw new Error('no plan')
      },
    }
    const { engine, world } = await engineOf({ strategy })
    const groups = await collectAll(engine, { draws: drawsOf(1), rolloutsPerDraw: 2 })
    expect(groups[0]!.members[0]!.outcome).toMatchObject({
      code: 'strategy_failed',
      message: 'rollout strategy broken failed: no plan',
    })
    expectAllClosed(world)
  })

  test('a larger share of failures than allowed ends the collection with counts by cause, after the last group', async () => {
    const world = new CounterWorld((count) => new CounterInstance(count % 2 === 0 ? { call: () => null } : {}))
    const { engine } = await engineOf({ world, config: { maxConcurrentRollouts: 1 } })
    const groups: TrajectoryGroup[] = []
    const request = { draws: drawsOf(4), rolloutsPerDraw: 2, purpose: 'train', maxFailureShare: 0.4 } as const
    const collecting = (async () => {
      for await (const group of engine.collect(request, new AbortController().signal)) groups.push(group)
    })()
    await expect(collecting).rejects.toMatchObject({
      code: 'RLENV_FAILURE_SHARE',
      message: expect.stringMatching(/^4 of 8 rollouts .* 4 environment_fault\/malformed_result \(add returned no/),
    })
    expect(groups).toHaveLength(4)
  })
})
