import { describe, expect, test } from 'vitest'
import { tinyEnvironment } from '../../src/testing/tiny-environment.ts'
import type { Row } from '../../src/vocabulary/database.ts'
import { codesOf, except, gateOf, taskOf, when, withTask } from './gate-of.ts'

describe('the gate on an environment in order', () => {
  test.each([0, 1, 2, 3])('finds nothing, and every mutant killed (seed %i)', async (seed) => {
    const report = await gateOf(tinyEnvironment({ seed }))
    expect(report).toMatchObject({ status: 'valid', findings: [], mutants: 16, killed: 16, verifierKillRate: 1 })
    expect(report.tools.every(({ status }) => status === 'valid')).toBe(true)
    expect(report.tasks.map(({ id, mutants }) => [id, mutants])).toEqual([
      ['tiny-library/lend', 5],
      ['tiny-library/return', 6],
      ['tiny-library/promote', 3],
      ['tiny-library/shelf', 2],
    ])
  })

  test('says the same each time, in every time zone', async () => {
    const here = await gateOf()
    const before = process.env.TZ
    process.env.TZ = 'Pacific/Kiritimati'
    try {
      expect(await gateOf()).toEqual(here)
    } finally {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    }
  })
})

describe('the gate on a task', () => {
  test.each<[string, string, RegExp, Parameters<typeof withTask>[1]]>([
    [
      'whose gold run fails',
      'gold_failed',
      /fails at lend_book: There is no such book/,
      (task) => {
        const last = { tool: 'lend_book', arguments: { member_id: 1, book_id: 999 } }
        return { ...task, gold: { ...task.gold, calls: [...task.gold.calls.slice(0, -1), last] } }
      },
    ],
    [
      'whose gold run calls a tool that is not there',
      'gold_failed',
      /fails at fly: unknown tool "fly"/,
      (task) => {
        return { ...task, gold: { ...task.gold, calls: [{ tool: 'fly', arguments: {} }] } }
      },
    ],
    [
      'whose gold run does nothing',
      'gold_without_effect',
      /changes nothing/,
      (task) => {
        return { ...task, gold: { calls: task.gold.calls.slice(0, 1), answer: null } }
      },
    ],
    [
      'of another environment',
      'task_foreign',
      /belongs to the environment "elsewhere"/,
      (task) => {
        return { ...task, environmentId: 'elsewhere' }
      },
    ],
  ])('refuses one %s', async (_what, code, message, change) => {
    const report = await gateOf(withTask('lend', change))
    expect(taskOf(report, 'lend')).toMatchObject({
      status: 'invalid',
      findings: [{ code, message: expect.stringMatching(message) }],
    })
    expect(report.tasks.filter(({ status }) => status === 'valid')).toHaveLength(3)
  })

  test('refuses one with the words of an earlier one', async () => {
    const [lend] = tinyEnvironment().tasks
    const report = await gateOf(
      withTask('return', (task) => ({ ...task, instruction: ` ${lend!.instruction.toUpperCase()}` })),
    )
    expect(taskOf(report, 'return').findings).toEqual([
      { code: 'task_duplicate', message: 'it has the instruction of tiny-library/lend' },
    ])
  })

  test('refuses one without a verifier', async () => {
    const environment = tinyEnvironment()
    const { 'tiny-library/lend': _gone, ...verifiers } = environment.verifiers
    expect(codesOf(await gateOf({ ...environment, verifiers }), 'lend')).toEqual(['verifier_missing'])
  })

  test('refuses one whose goal holds already', async () => {
    // members 2, 4, 6, 8 are plus members from the start
    const judge = when(({ final }) => (final.query('SELECT tier FROM members WHERE id = 2')[0] as Row).tier === 'plus')
    const report = await gateOf(tinyEnvironment(), except('return', judge))
    expect(codesOf(report, 'return')).toContain('holds_untouched')
    expect(taskOf(report, 'return').status).toBe('invalid')
  })

  test('an environment with too few valid tasks is refused as a whole', async () => {
    const report = await gateOf(
      tinyEnvironment(),
      except(
        'lend',
        when(() => false),
      ),
      { minTasks: 4 },
    )
    expect(report.findings).toEqual([
      { code: 'too_few_tasks', message: '3 of 4 tasks are valid, at least 4 are needed' },
    ])
  })
})
