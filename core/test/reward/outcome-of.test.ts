import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isVerifiable, outcomeOf } from '../../src/reward/outcome-of.ts'
import type { StopReason, Verdict } from '../../src/vocabulary/outcome.ts'

const verdictOf = (kind: Verdict['kind']): Verdict => {
  return { kind, passed: kind === 'passed', score: kind === 'passed' ? 1 : 0, evidence: [] }
}
const verdicts = fc.constantFrom<Verdict['kind']>('passed', 'failed', 'partial', 'unscored').map(verdictOf)
const answered: StopReason = { kind: 'terminated', by: 'answer' }

describe('outcomeOf', () => {
  test.each<[Verdict['kind'], string]>([
    ['passed', 'scored'],
    ['failed', 'scored'],
    ['partial', 'scored'],
    ['unscored', 'unscored'],
  ])('a verdict "%s" on an answer is %s', (kind, outcome) => {
    expect(outcomeOf(answered, verdictOf(kind)).kind).toBe(outcome)
    expect(outcomeOf({ kind: 'truncated', limit: 'turns' }, verdictOf(kind)).kind).toBe(outcome)
  })

  test('no verdict is unscored, with the reason kept', () => {
    expect(outcomeOf(answered, null).kind).toBe('unscored')
    expect(outcomeOf(answered, { kind: 'failure', code: 'verifier_timeout', message: 'too late' })).toEqual({
      kind: 'unscored',
      code: 'verifier_timeout',
      message: 'too late',
    })
    expect(outcomeOf(answered, { ...verdictOf('unscored'), reason: 'empty reply' })).toMatchObject({
      code: 'verifier_undecided',
      message: 'empty reply',
    })
  })

  test.each<[StopReason & { kind: 'faulted' }, object]>([
    [
      { kind: 'faulted', in: 'policy', code: 'unknown_tool', message: 'm' },
      { kind: 'policy_fault', code: 'unknown_tool' },
    ],
    [
      { kind: 'faulted', in: 'model', code: 'turn_timeout', message: 'm' },
      { kind: 'environment_fault', retryable: true },
    ],
    [{ kind: 'faulted', in: 'environment', code: 'tool_crashed', message: 'm' }, { retryable: true }],
    [{ kind: 'faulted', in: 'environment', code: 'malformed_result', message: 'm' }, { retryable: false }],
    [{ kind: 'faulted', in: 'environment', code: 'a_code_of_the_world', message: 'm' }, { retryable: false }],
  ])('%o keeps its code', (stop, outcome) => {
    expect(outcomeOf(stop, null)).toMatchObject(outcome)
  })

  test('no verdict whatever turns a fault or a cancellation into a score', () => {
    const unverifiable = fc.constantFrom<StopReason>(
      { kind: 'cancelled', message: 'm' },
      { kind: 'faulted', in: 'policy', code: 'c', message: 'm' },
      { kind: 'faulted', in: 'environment', code: 'c', message: 'm' },
      { kind: 'faulted', in: 'model', code: 'c', message: 'm' },
    )
    fc.assert(
      fc.property(unverifiable, verdicts, (stop, verdict) => {
        expect(isVerifiable(stop)).toBe(false)
        expect(outcomeOf(stop, verdict)).toEqual(outcomeOf(stop, null))
        expect(['scored', 'unscored']).not.toContain(outcomeOf(stop, verdict).kind)
      }),
    )
  })
})
