import { expect, test } from 'vitest'
import { ProgressDisplay } from '../../src/cli/progress-display.ts'
import { systemClock } from '../../src/determinism/clock.ts'

/** A display, and what it has written so far. */
function displayOf(isTTY: boolean) {
  const written: string[] = []
  const output = { isTTY, columns: 80, write: (text: string) => void written.push(text) }
  return { display: new ProgressDisplay(output, systemClock), text: () => written.join('') }
}

const step = { type: 'step:end', step: 0, steps: 4, policyVersion: 1, metrics: { 'reward/mean': 0 } } as const
const waiting = { type: 'waiting', waiter: 'group d3 of shop/t1 (train), 1 of 2 rollouts done', since: 0 } as const
const graph = ['├ 2 rollouts in flight', '└ the learner waits for the rollouts of step 1, for 61 s']

test.each([false, true])('who waits for whom stands below what is waited for, with a terminal: %s', (isTTY) => {
  const { display, text } = displayOf(isTTY)
  display.onEvent(step)
  display.onEvent({ ...waiting, forMs: 61_000, graph })
  const lines = text().split('\n')
  expect(lines.slice(1)).toEqual([
    'still waiting for group d3 of shop/t1 (train), 1 of 2 rollouts done after 61 s',
    '├ 2 rollouts in flight',
    '└ the learner waits for the rollouts of step 1, for 61 s',
    '',
  ])
})

test('a wait of which no more is known is one line', () => {
  const { display, text } = displayOf(false)
  display.onEvent({ ...waiting, waiter: 'plugin slow in hook learner.step', forMs: 30_000 })
  expect(text()).toBe('still waiting for plugin slow in hook learner.step after 30 s\n')
})
