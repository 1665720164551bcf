import { describe, expect, test } from 'vitest'
import { tinyEnvironment } from '../../src/testing/tiny-environment.ts'
import type { Row } from '../../src/vocabulary/database.ts'
import type { Tool } from '../../src/vocabulary/tool.ts'
import { codesOf, except, gateOf, type JudgeFunction, taskOf, tiny, verdictOf, when, withTask } from './gate-of.ts'

describe('the gate on a verifier', () => {
  test('refuses one that refuses the gold run, with its reasons', async () => {
    const judge: JudgeFunction = () => ({
      ...verdictOf(false),
      evidence: [{ name: 'the fee was paid', passed: false }],
    })
    expect(taskOf(await gateOf(tinyEnvironment(), except('lend', judge)), 'lend').findings).toEqual([
      { code: 'gold_rejected', message: 'the verifier refuses the gold run: the fee was paid' },
    ])
  })

  test('refuses one that only looks for words in the answer', async () => {
    const judge = when(
      ({ trajectory, task }) => trajectory.answer?.includes(task.gold.answer === null ? 'Done' : 'shelf') ?? false,
    )
    const report = await gateOf(tinyEnvironment(), judge)
    expect(codesOf(report, 'promote')).toEqual(expect.arrayContaining(['holds_untouched', 'mutant_survived']))
    expect(codesOf(report, 'shelf')).toContain('words_alone_pass')
    expect(report.tasks.map(({ status }) => status)).toEqual(['invalid', 'invalid', 'invalid', 'invalid'])
  })

  test('refuses one that takes the right words for the deed', async () => {
    const answered = withTask('promote', (task) => ({ ...task, gold: { ...task.gold, answer: 'plus' } }))
    const judge = except(
      'promote',
      when(({ trajectory }) => trajectory.answer === 'plus'),
    )
    const report = await gateOf(answered, judge)
    expect(codesOf(report, 'promote')).toEqual(expect.arrayContaining(['words_alone_pass', 'irrelevant_change_passes']))
  })

  test('refuses one that only asks whether something changed', async () => {
    const report = await gateOf(
      tinyEnvironment(),
      except(
        'promote',
        when(({ diff }) => diff.length > 0),
      ),
    )
    expect(codesOf(report, 'promote')).toEqual(
      expect.arrayContaining(['irrelevant_change_passes', 'mutant_survived', 'random_agent_passes']),
    )
    expect(taskOf(report, 'promote').noticesSideEffects).toBe(false)
  })

  test('refuses one that overlooks a touched row, and publishes its kill rate', async () => {
    const judge = except(
      'return',
      when(({ diff }) => diff.some(({ table, kind }) => table === 'loans' && kind === 'update')),
    )
    const report = await gateOf(tinyEnvironment(), judge)
    const { findings, mutants, killed } = taskOf(report, 'return')
    // books: left as it was, dropped, altered in copies; loans: altered in status
    expect(findings.filter(({ code }) => code === 'mutant_survived').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^the verifier still passes with books \d+ left as it was$/),
      expect.stringMatching(/^the verifier still passes with books \d+ dropped$/),
      expect.stringMatching(/^the verifier still passes with books \d+ altered in copies$/),
      expect.stringMatching(/^the verifier still passes with loans \d+ altered in status$/),
    ])
    expect([mutants, killed]).toEqual([6, 2])
    expect(report.verifierKillRate).toBe(12 / 16)
  })

  test('refuses one that overlooks a wrong answer', async () => {
    const judge = except(
      'shelf',
      when(({ trajectory }) => /^[A-Z]\d+$/.test(trajectory.answer ?? '')),
    )
    expect(taskOf(await gateOf(tinyEnvironment(), judge), 'shelf').findings).toContainEqual({
      code: 'mutant_survived',
      message: expect.stringMatching(/^the verifier still passes with the answer "[B-E]\d\d"$/),
    })
  })

  test('refuses one that asks for calls and not for what they did', async () => {
    const judge = when(({ trajectory }) => trajectory.turns.some(({ calls }) => calls.some(({ result }) => result.ok)))
    const report = await gateOf(tinyEnvironment(), except('return', judge))
    expect(codesOf(report, 'return')).toEqual(expect.arrayContaining(['random_agent_passes', 'mutant_survived']))
  })

  test('refuses one that says now this and now that', async () => {
    let asked = 0
    const judge: JudgeFunction = (input) => {
      const verdict = tiny(input) as ReturnType<typeof verdictOf>
      return { ...verdict, evidence: [{ name: `look ${++asked}`, passed: verdict.passed }] }
    }
    expect(codesOf(await gateOf(tinyEnvironment(), except('lend', judge)), 'lend')).toEqual(['verifier_unsteady'])
  })

  test.each<[string, string, 'error', RegExp, JudgeFunction]>([
    [
      'throws',
      'verifier_failed',
      'error',
      /failed in verifier\S*: Cannot read properties .*\(untouched\)/,
      ({ final }) => {
        const [row] = final.query('SELECT id FROM members WHERE id < 0') as readonly Row[]
        return verdictOf((row as Row).id === 1)
      },
    ],
    [
      'cannot say',
      'verifier_unscored',
      'error',
      /could not say \(untouched\): no judge/,
      () => {
        return { kind: 'unscored', passed: false, score: 0, evidence: [], reason: 'no judge' }
      },
    ],
    [
      'nobody reads',
      'verifier_failed',
      'error',
      /no plugin reads stored verifiers of kind "tiny-diff"/,
      () => undefined,
    ],
    [
      'looks at a table that is not there',
      'verifier_failed',
      'error',
      /there is no table nowhere/,
      ({ final }) => {
        return verdictOf(final.rows('nowhere').length > 0)
      },
    ],
  ])('calls it an error when one %s, and goes on with the other tasks', async (_what, code, status, message, judge) => {
    const report = await gateOf(tinyEnvironment(), except('return', judge))
    expect(taskOf(report, 'return')).toMatchObject({
      status,
      findings: [{ code, message: expect.stringMatching(message) }],
    })
    expect(report.tasks.filter(({ status: other }) => other === 'valid')).toHaveLength(3)
  })

  test('calls it a timeout when one never ends, and goes on with the other tasks', async () => {
    const hang: JudgeFunction = ({ diff, ...input }) => {
      return diff.length === 0 ? tiny({ diff, ...input }) : new Promise<never>(() => undefined)
    }
    const clock = {
      now: () => 0,
      sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms / 1000)),
    }
    const report = await gateOf(tinyEnvironment(), except('return', hang), { clock, verifierTimeoutMs: 30_000 })
    expect(taskOf(report, 'return')).toMatchObject({
      status: 'timeout',
      findings: [{ code: 'verifier_timeout', message: 'the verifier had not given its verdicts after 30000 ms' }],
    })
    expect(report.status).toBe('timeout')
    expect(report.tasks.filter(({ status }) => status === 'valid')).toHaveLength(3)
  })

  test('ends with the reason of an abort', async () => {
    const stop = new AbortController()
    const judge: JudgeFunction = (input) => {
      stop.abort(new Error('enough'))
      return tiny(input)
    }
    await expect(gateOf(tinyEnvironment(), judge, { signal: stop.signal })).rejects.toThrow('enough')
  })
})

describe('the gate on an act that leaves no trace', () => {
  const handOver: Tool = {
    ...tinyEnvironment().tools[2]!,
    name: 'hand_over',
    effect: 'write',
    inputSchema: { type: 'object', properties: {} },
    outputSchema: { type: 'object' },
    errors: [],
    implementation: { kind: 'sql', steps: [{ kind: 'run', sql: 'UPDATE books SET copies = copies WHERE id < 0' }] },
  }
  const environment = withTask('promote', (task) => ({
    ...task,
    gold: { calls: [...task.gold.calls, { tool: 'hand_over', arguments: {} }], answer: null },
  }))
  const acting = { ...environment, tools: [...environment.tools, handOver] }

  test('refuses a verifier that does not ask for it', async () => {
    expect(taskOf(await gateOf(acting), 'promote').findings).toEqual([
      { code: 'mutant_survived', message: 'the verifier still passes without the call of hand_over' },
    ])
  })

  test('accepts one that does', async () => {
    const judge: JudgeFunction = (input) => {
      const called = input.trajectory.turns.some(({ calls }) =>
        calls.some(({ serverName }) => serverName === 'hand_over'),
      )
      return called ? tiny(input) : verdictOf(false)
    }
    expect(taskOf(await gateOf(acting, except('promote', judge)), 'promote')).toMatchObject({
      status: 'valid',
      mutants: 4,
      killed: 4,
    })
  })
})
