import { expect, test } from 'vitest'
import type { PluginHooks } from '../../src/hooks/pipeline-hooks.ts'
import type { Task } from '../../src/vocabulary/task.ts'
import type { JudgedTrajectory } from '../../src/vocabulary/trajectory.ts'
import { counterHooks } from '../rollout/counter-environment.ts'
import { collectAll, engineOf } from '../rollout/engine-of.ts'

const meddlings: readonly [string, (judged: JudgedTrajectory, task: Task) => unknown][] = [
  ['the reward', (judged) => Object.assign(judged, { reward: 42 })],
  ['the outcome', ({ outcome }) => Object.assign(outcome, { kind: 'unscored' })],
  ['the verdict', ({ verdict }) => Object.assign(verdict ?? {}, { passed: false })],
  ['the answer', ({ trajectory }) => Object.assign(trajectory, { answer: 'other' })],
  ['the messages', ({ trajectory }) => Object.assign(trajectory.messages, { length: 0 })],
  ['a message', ({ trajectory }) => Object.assign(trajectory.messages[0] ?? {}, { content: 'other' })],
  ['the task', (_judged, { gold }) => Object.assign(gold, { answer: 'other' })],
]

test.each(meddlings)(
  'a reward shaper that changes %s harms its own rollout only, and says so',
  async (_what, meddle) => {
    const hooks: PluginHooks = {
      ...counterHooks,
      rewardShaper: (reward, { judged, task }) => {
        if (judged.trajectory.rolloutIndex === 1) meddle(judged, task)
        return reward
      },
    }
    const { engine, events } = await engineOf({ hooks })
    const { engine: honest } = await engineOf()
    const [group, expected] = [(await collectAll(engine))[0], (await collectAll(honest))[0]]
    expect(group?.members[1]).toMatchObject({ outcome: { kind: 'unscored', code: 'shaper_failed' }, reward: null })
    for (const index of [0, 2, 3]) expect(group?.members[index]).toEqual(expected?.members[index])
    expect(group?.members[1]?.trajectory).toEqual(expected?.members[1]?.trajectory)
    expect(events.some((event) => event.type === 'warning' && event.message.includes('could not be shaped'))).toBe(true)
  },
)

test('a listener that changes what it is told changes nothing that is trained on', async () => {
  const { engine } = await engineOf({
    events: (event) => {
      if (event.type === 'rollout:end') Reflect.set(event.judged, 'reward', 42)
    },
  })
  const groups = await collectAll(engine)
  expect(groups.flatMap((group) => group.members.map((member) => member.reward))).toEqual(Array(16).fill(1))
})
