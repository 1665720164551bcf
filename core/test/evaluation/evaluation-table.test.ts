import { describe, expect, test } from 'vitest'
import { RandomStream } from '../../src/determinism/random-stream.ts'
import { type EvaluationReport, failureShare } from '../../src/evaluation/evaluation-report.ts'
import { breakdownTable, evaluationTable, successChange } from '../../src/evaluation/evaluation-table.ts'
import { summarizeRollouts } from '../../src/evaluation/summarize-rollouts.ts'
import { type Ending, evaluationTask, judgedRollout } from './judged-rollouts.ts'

function report(step: number, endings: readonly (readonly Ending[])[]): EvaluationReport {
  const tasks = endings.map((rollouts, environment) => {
    const task = evaluationTask(`e${environment}`, 't', environment === 0 ? 'count' : 'status')
    return { task, rollouts: rollouts.map((ending, index) => judgedRollout(task, ending, index)) }
  })
  const random = RandomStream.of(1, 'bootstrap')
  const settings = { temperature: 1, rolloutsPerTask: 2, confidence: 0.95, random }
  const greedy = tasks.map(({ task, rollouts }) => ({ task, rollouts: rollouts.slice(0, 1) }))
  return {
    format: 1,
    policy: 'scripted',
    policyVersion: step,
    step,
    seed: 1,
    environments: endings.length,
    tasks: tasks.length,
    confidence: 0.95,
    sampled: summarizeRollouts(tasks, settings),
    greedy: summarizeRollouts(greedy, { ...settings, temperature: 0, rolloutsPerTask: 1 }),
  }
}

const before = report(0, [
  ['failed', 'failed'],
  ['passed', 'failed'],
  ['failed', 'failed'],
  ['failed', 'fault'],
])
const after = report(8, [
  ['passed', 'failed'],
  ['passed', 'passed'],
  ['failed', 'passed'],
  ['passed', 'passed'],
])

describe('evaluationTable', () => {
  test('shows sampled and greedy before and after, with intervals and the change', () => {
    expect(evaluationTable(after, before)).toMatchInlineSnapshot(`
      "                            before              after                 change
      success, sampled            12.5 % [0.0, 37.5]  75.0 % [50.0, 100.0]  +62.5 [+50.0, +87.5]
      pass@2                      33.3 %              100.0 %
      pass^2                      0.0 %               50.0 %
      reward, sampled             -0.714              0.500
      faults / unscored, sampled  12.5 % / 0.0 %      0.0 % / 0.0 %
      stopped completed, sampled  7                   8
      stopped env_error, sampled  1                   0
      success, greedy             25.0 % [0.0, 75.0]  75.0 % [25.0, 100.0]  +50.0 [+0.0, +100.0]
      reward, greedy              -0.500              0.500
      faults / unscored, greedy   0.0 % / 0.0 %       0.0 % / 0.0 %
      stopped completed, greedy   4                   4
      4 tasks in 4 environments, 2 rollouts per task; intervals of 95 % clustered by environment
      "
    `)
  })

  test('shows one column without an earlier report', () => {
    const lines = evaluationTable(after).split('\n')
    expect(lines[0]?.trim()).toBe('value')
    expect(lines[1]).toMatch(/^success, sampled +75\.0 % \[/)
  })

  test('leaves greedy out when it was not asked for', () => {
    expect(evaluationTable({ ...after, greedy: null })).not.toContain('greedy')
  })

  test('the change of a single environment has no interval', () => {
    const alone = (endings: readonly Ending[]) => report(0, [endings]).sampled
    expect(successChange(alone(['failed']), alone(['passed']), 0.95)).toEqual({ value: 1, low: null, high: null })
  })
})

test('the breakdown has a line per kind and per environment', () => {
  expect(breakdownTable(before)).toMatchInlineSnapshot(`
    "kind    success  reward  tasks  failed
    count   0.0 %    -1.000  1      0
    status  16.7 %   -0.600  3      1

    environment  success  reward  tasks  failed
    e0           0.0 %    -1.000  1      0
    e1           50.0 %   0.000   1      0
    e2           0.0 %    -1.000  1      0
    e3           0.0 %    -1.000  1      1
    "
  `)
})

test('the failure share counts faults and missing verdicts of every way of sampling', () => {
  // before: sampled 8 rollouts with 1 fault, greedy 4 with none
  expect(failureShare(before)).toBeCloseTo(1 / 12, 12)
  expect(failureShare({ ...before, greedy: null })).toBeCloseTo(1 / 8, 12)
})
