import { describe, expect, test } from 'vitest'
import { loadEnvironment } from '../../src/environment/load-environment.ts'
import { runGold } from '../../src/environment/run-gold.ts'
import { answerText, scriptedTrajectory } from '../../src/synthesis/gate/scripted-trajectory.ts'
import { tinyEnvironment } from '../../src/testing/tiny-environment.ts'
import { trajectorySchema } from '../../src/vocabulary/trajectory.ts'

describe('scriptedTrajectory', () => {
  const environment = tinyEnvironment()
  const task = environment.tasks[0]!
  const gold = runGold(loadEnvironment(environment), task.gold.calls, task.gold.answer)
  const trajectory = scriptedTrajectory({
    task,
    script: 'gold',
    seed: 7,
    calls: gold.calls,
    answer: 'Done.',
    diff: gold.diff,
  })

  test('has the form of a rollout’s', () => {
    expect(trajectorySchema.parse(trajectory)).toEqual(trajectory)
    expect(trajectory).toMatchObject({
      id: 'gold/0',
      taskId: task.id,
      seed: 7,
      answer: 'Done.',
      stopReason: { kind: 'terminated' },
    })
  })

  test('makes one call per turn, each turn pointing at its message', () => {
    expect(trajectory.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ])
    expect(trajectory.turns.map(({ messageIndex, calls }) => [messageIndex, calls.map(({ name }) => name)])).toEqual([
      [1, ['find_member']],
      [3, ['search_books']],
      [5, ['lend_book']],
      [7, []],
    ])
    for (const { messageIndex } of trajectory.turns) expect(trajectory.messages[messageIndex]?.role).toBe('assistant')
  })

  test.each([
    [null, 'Done.'],
    ['B29', 'B29'],
    [3, '3'],
    [{ total: 2 }, '{"total":2}'],
  ])('writes the answer %j as %s', (answer, text) => {
    expect(answerText(answer)).toBe(text)
  })
})
