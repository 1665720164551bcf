import { expect, test } from 'vitest'
import { LoopLag } from '../../src/telemetry/loop-lag.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('the lag of the event loop shows how long something kept it busy', async () => {
  const lag = new LoopLag()
  await pause(30)
  const until = performance.now() + 150
  while (performance.now() < until);
  await pause(30)
  const { p99Ms, maxMs } = lag.stop()
  expect(maxMs).toBeGreaterThan(100)
  expect(p99Ms).toBeLessThanOrEqual(maxMs)
})

test('the lag of an event loop that never turned is nothing, not a number that is none', () => {
  expect(new LoopLag().stop()).toEqual({ p99Ms: 0, maxMs: 0 })
})
