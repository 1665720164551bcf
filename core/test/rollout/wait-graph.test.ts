import { describe, expect, test } from 'vitest'
import type { Policy } from '../../src/hooks/roles.ts'
import { Flight } from '../../src/rollout/flight.ts'
import { flightNode, waitLines } from '../../src/rollout/wait-graph.ts'
import type { RunEvent } from '../../src/telemetry/run-event.ts'
import { scriptedPolicy } from '../../src/testing/scripted-policy.ts'
import { CounterInstance, CounterWorld } from './counter-environment.ts'
import { collectAll, drawsOf, engineOf } from './engine-of.ts'
import { fastClock } from './fast-clock.ts'

type Waiting = Extract<RunEvent, { type: 'waiting' }>
const never = () => new Promise<never>(() => {})

interface StallParts extends NonNullable<Parameters<typeof engineOf>[0]> {
  /** Rollouts that end before everything stalls; a machine that is slow for a moment is no stall. */
  readonly ended: number
  readonly surroundings?: () => readonly string[]
}

/** Resolves with what is announced of the stall; then everything that stalls is let go by the abort. */
async function stallOf({ ended, surroundings, ...parts }: StallParts): Promise<Waiting> {
  const abort = new AbortController()
  let heard: Waiting | null = null
  let count = 0
  const events = (event: RunEvent) => {
    if (event.type === 'rollout:end') count += 1
    if (event.type !== 'waiting' || count < ended) return
    heard ??= event
    abort.abort()
  }
  const limits = { toolTimeoutMs: 9e8, turnTimeoutMs: 9e8, rolloutTimeoutMs: 9e8 }
  const config = { ...limits, ...parts.config }
  const timing = { clock: fastClock(100), progressDeadlineMs: 60_000, verifierTimeoutMs: 9e8 }
  const { engine } = await engineOf({ ...timing, ...parts, events, config })
  const request = { draws: drawsOf(6), rolloutsPerDraw: 2, ...(surroundings === undefined ? {} : { surroundings }) }
  await expect(collectAll(engine, request, abort.signal)).rejects.toMatchObject({ code: 'RLENV_INTERRUPTED' })
  if (heard === null) throw new Error('nothing was announced')
  return heard
}

/** Without the durations, which differ from run to run. */
const plain = (lines: readonly string[] | undefined) =>
  lines?.map((line) => line.replaceAll(/ for \d+ s$/g, ' for N s'))

describe('a collection that stalls', () => {
  test('says how many rollouts wait for whom, which has waited longest, and what is behind them', async () => {
    const script = scriptedPolicy([{ tool: 'add', arguments: { by: 1 } }, 'Done.'])
    const taskOf = (text: unknown) => Number(/\((\d+)\)/.exec(String(text))?.[1])
    const policy: Policy = {
      name: 'slow-model',
      policyVersion: 0,
      // Tasks 0 and 3 get no answer from the policy.
      sample: (request, signal) =>
        taskOf(request.messages[1]?.content) % 3 === 0 ? never() : script.sample(request, signal),
    }
    let calls = 0
    // The first two that come to call a tool get no answer from it.
    const world = new CounterWorld(
      () =>
        new CounterInstance({ call: (_name, _args, own) => (++calls <= 2 ? never() : own.answer('add', { by: 1 })) }),
    )
    const { waiter, forMs, graph } = await stallOf({
      ended: 6,
      policy,
      world,
      surroundings: () => ['the learner waits'],
    })
    expect(waiter).toBe('group d0 of counter/t0 (train), 0 of 2 rollouts done')
    expect(forMs).toBeGreaterThanOrEqual(60_000)
    expect(plain(graph)).toEqual([
      '├ 6 rollouts in flight',
      '│ ├ 4 wait for policy slow-model',
      '│ │ └ longest: rollout d0/0 of counter/t0, attempt 1, for N s',
      '│ └ 2 wait for the tools of counter',
      '│   └ longest: rollout d1/0 of counter/t1, attempt 1, for N s',
      '├ 6 groups begun, 3 of them finished and behind d0; 0 rollouts not begun',
      '└ the learner waits',
    ])
  })

  test('says what does not begin while the oldest group stalls', async () => {
    const policy: Policy = { name: 'dead', policyVersion: 0, sample: never }
    const { graph } = await stallOf({ ended: 0, policy, config: { maxConcurrentRollouts: 2 } })
    expect(plain(graph)).toEqual([
      '├ 2 rollouts in flight',
      '│ └ 2 wait for policy dead',
      '│   └ longest: rollout d0/0 of counter/t0, attempt 1, for N s',
      '└ 1 group begun; 10 rollouts not begun',
    ])
  })

  test('names the verifier that gives no verdict', async () => {
    const hooks = { verifier: { prepare: () => ({ kind: 'stuck' }), judge: never } }
    const { graph } = await stallOf({ ended: 0, hooks, config: { maxConcurrentRollouts: 1 } })
    expect(plain(graph)?.slice(0, 3)).toEqual([
      '├ 1 rollout in flight',
      '│ └ 1 waits for the verifier of counter/t0',
      '│   └ longest: rollout d0/0 of counter/t0, attempt 1, for N s',
    ])
  })
})

test('names the most frequent of many that are waited for', () => {
  const flights = ['a', 'b', 'b', 'c', 'd', 'e'].map((target, index) => {
    return new Flight(`rollout ${index},`, { state: 'tools', target }, index * 1000, 9e9)
  })
  expect(waitLines([flightNode(flights, 60_000)])).toEqual([
    '└ 6 rollouts in flight',
    '  └ 6 wait for the tools of b (2), a (1), c (1) and 2 more',
    '    └ longest: rollout 0, for 60 s',
  ])
})
