import { describe, expect, test } from 'vitest'
import { RandomStream } from '../../src/determinism/random-stream.ts'
import { summarizeRollouts } from '../../src/evaluation/summarize-rollouts.ts'
import { type Ending, evaluationTask, judgedRollout } from './judged-rollouts.ts'

const options = { temperature: 1, rolloutsPerTask: 4, confidence: 0.95, random: RandomStream.of(1, 'bootstrap') }
const rolled = (environmentId: string, name: string, endings: readonly Ending[], kind = 'status') => {
  const task = evaluationTask(environmentId, name, kind)
  return { task, rollouts: endings.map((ending, index) => judgedRollout(task, ending, index)) }
}

describe('summarizeRollouts', () => {
  test('faults and missing verdicts leave the denominator and are reported', () => {
    const summary = summarizeRollouts([rolled('a', 't', ['passed', 'failed', 'fault', 'unscored'])], options)
    expect(summary.pass1.value).toBe(0.5)
    expect(summary).toMatchObject({ rollouts: 4, counted: 2, errorRate: 0.25, unscoredRate: 0.25 })
    expect(summary.outcomes).toEqual({ environment_fault: 1, scored: 2, unscored: 1 })
    expect(summary.errors).toEqual({ 'environment_fault/tool_timeout': 1, 'unscored/judge_silent': 1 })
    expect(summary.byKind[0]).toMatchObject({ name: 'status', failed: 2, counted: 2 })
  })

  test("the policy's own fault is a failure", () => {
    const summary = summarizeRollouts([rolled('a', 't', ['passed', 'policy'])], options)
    expect(summary.pass1.value).toBe(0.5)
    expect(summary.stopReasons).toEqual({ completed: 1, parse_error: 1 })
  })

  test('passing is the verdict, not a positive reward', () => {
    const task = evaluationTask('a', 't')
    const rollouts = [judgedRollout(task, 'partial', 0, 0.1), judgedRollout(task, 'failed', 1, 5)]
    const summary = summarizeRollouts([{ task, rollouts }], options)
    expect(summary.pass1.value).toBe(0)
    expect(summary.meanReward).toBeCloseTo(2.55, 12)
  })

  test('every task weighs the same, however many of its rollouts count', () => {
    const tasks = [rolled('a', 't', ['passed', 'passed', 'passed', 'passed']), rolled('a', 'u', ['failed', 'fault'])]
    expect(summarizeRollouts(tasks, options).pass1.value).toBe(0.5)
  })

  test('a task without any countable rollout is in no rate', () => {
    const summary = summarizeRollouts([rolled('a', 't', ['passed']), rolled('b', 'u', ['fault'])], options)
    expect(summary.pass1.value).toBe(1)
    expect(summary.byEnvironment.find(({ name }) => name === 'b')).toMatchObject({ tasks: 0, pass1: null, failed: 1 })
  })

  test('pass@k and pass^k are given for powers of two up to the rollouts per task', () => {
    const tasks = [rolled('a', 't', ['passed', 'failed', 'failed', 'failed']), rolled('b', 'u', ['passed', 'passed'])]
    const { pass } = summarizeRollouts(tasks, options)
    expect(pass.map(({ k, tasks: able }) => [k, able])).toEqual([
      [1, 2],
      [2, 2],
      [4, 1],
    ])
    // task t: pass@2 = 0.5, pass^2 = 0; task u: both 1
    expect(pass[1]?.passAtK).toBeCloseTo(0.75, 12)
    expect(pass[1]?.passHatK).toBeCloseTo(0.5, 12)
    expect(pass[2]).toMatchObject({ passAtK: 1, passHatK: 0 })
  })

  test('cancelled rollouts never ended', () => {
    expect(summarizeRollouts([rolled('a', 't', ['passed', 'cancelled'])], options)).toMatchObject({
      rollouts: 1,
      errorRate: 0,
    })
  })

  test('no rollouts at all give no rate instead of NaN', () => {
    const summary = summarizeRollouts([], options)
    expect(summary).toMatchObject({ pass1: { value: null, low: null, high: null }, meanReward: null, errorRate: 0 })
  })
})
