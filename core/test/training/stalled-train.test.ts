import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ExecutableWorld } from '../../src/environment/executable-world.ts'
import type { RunEvent } from '../../src/telemetry/run-event.ts'
import { fastClock } from '../rollout/fast-clock.ts'
import { trainTiny } from './training-run.ts'

test('a training run that stalls says what the learner and the collection wait for, and goes on', async () => {
  const root = await mkdtemp(join(tmpdir(), 'rlenv-stalled-'))
  let letGo = () => {}
  const released = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const executable = new ExecutableWorld()
  let opened = 0
  // The world of the tenth rollout does not open until somebody has heard of it.
  const world = {
    name: 'stuck',
    open: async (...args: Parameters<ExecutableWorld['open']>) => {
      if (++opened === 10) await released
      return executable.open(...args)
    },
    close: () => executable.close(),
  }
  const heard: Extract<RunEvent, { type: 'waiting' }>[] = []
  const limit = 2 ** 31 - 1
  const { report } = await trainTiny({
    root,
    clock: fastClock(100),
    hooks: { world: () => world },
    rollout: { toolTimeoutMs: limit, turnTimeoutMs: limit, rolloutTimeoutMs: limit },
    training: { steps: 4, tasksPerStep: 2, rolloutsPerTask: 3, maxStaleness: 1 },
    evaluation: { heldOutShare: 0 },
    onEvent: (event) => {
      // A machine that is slow for a moment is no stall.
      if (event.type !== 'waiting' || opened < 10) return
      heard.push(event)
      letGo()
    },
  })
  await rm(root, { recursive: true, force: true })
  expect(report.finishedSteps).toBe(4)
  expect(heard[0]?.waiter).toMatch(/^group d3 of library-\d\/\w+ \(train\), \d of 3 rollouts done$/)
  const graph = heard[0]?.graph?.map((line) => line.replaceAll(/\d+ s$/g, 'N s'))
  expect(graph?.slice(0, 2)).toEqual(['├ 1 rollout in flight', '│ └ 1 waits for world stuck'])
  expect(graph?.[2]).toMatch(/^│ {3}└ longest: rollout d3\/0 of library-\d\/\w+, attempt 1, for N s$/)
  expect(graph?.slice(-2)).toEqual([
    '├ the learner waits for the rollouts of step 1, for N s',
    '└ step 1 is being collected, none before it waits for the learner, at most 1 ahead',
  ])
})
