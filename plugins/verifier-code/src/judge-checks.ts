import type { Cell, Evidence, Json, JudgeInput, RowChange, StateDiff, StoredVerifier, Verdict } from 'rlenv'
import { isAnswerRight } from './answer-check.ts'
import { checkedCalls } from './call-check.ts'
import { type ComparisonRules, type SignedChange, signChanges } from './change-signatures.ts'
import { readStoredChecks, type StoredChecks } from './stored-checks.ts'

interface Prepared {
  readonly checks: StoredChecks
  readonly rules: ComparisonRules
  readonly expected: readonly SignedChange[]
}

/** Stored verifiers are immutable; each is read and signed once. */
const known = new WeakMap<StoredVerifier, Prepared | string>()

function preparedOf(stored: StoredVerifier): Prepared | string {
  const before = known.get(stored)
  if (before !== undefined) return before
  const checks = readStoredChecks(stored)
  const prepared = typeof checks === 'string' ? checks : prepare(checks)
  known.set(stored, prepared)
  return prepared
}

function prepare(checks: StoredChecks): Prepared {
  const rules = { ...checks, generated: new Set(checks.generated) }
  return { checks, rules, expected: signChanges(checks.state, rules) }
}

/** Most unexpected changes that evidence lists. */
const mostListed = 20

/** Holds a rollout to its stored checks. @param partial - whether a failed rollout may be called partial. */
export function judgeChecks(input: JudgeInput, partial: boolean): Verdict {
  const prepared = preparedOf(input.verifier)
  if (typeof prepared === 'string') {
    return { kind: 'unscored', passed: false, score: 0, evidence: [], reason: prepared }
  }
  const evidence = [...stateEvidence(prepared, input.diff), ...traceEvidence(prepared.checks, input)]
  const passed = evidence.every((one) => one.passed)
  const extra = evidence.find((one) => one.name === nothingElse && !one.passed)
  const demanded = evidence.filter((one) => one.name !== nothingElse)
  const reached = demanded.filter((one) => one.passed).length
  const share = reached / Math.max(1, demanded.length + (extra === undefined ? 0 : extraCount(extra)))
  const score = passed ? 1 : Math.min(share, 0.99)
  const kind = passed ? 'passed' : partial && score > 0 ? 'partial' : 'failed'
  return { kind, passed, score, evidence }
}

const nothingElse = 'nothing else changed'

function extraCount(evidence: Evidence): number {
  return Array.isArray(evidence.actual) ? evidence.actual.length : 1
}

function stateEvidence({ expected, rules }: Prepared, diff: StateDiff): readonly Evidence[] {
  const left = [...signChanges(diff, rules)]
  const exact = expected.map(({ signature }) => taken(left, (actual) => actual.signature === signature))
  const found = expected.map(({ unlinked }, at) => exact[at] ?? taken(left, (actual) => actual.unlinked === unlinked))
  const evidence: Evidence[] = expected.map(({ change }, at) => {
    const actual = found[at]
    return {
      name: `${change.table}: ${change.kind} as asked`,
      passed: actual !== undefined,
      expected: shown(change),
      actual: actual === undefined ? null : shown(actual.change),
    }
  })
  if (found.some((actual, at) => actual !== exact[at])) {
    evidence.push({ name: 'new rows are linked as asked', passed: false })
  }
  evidence.push({
    name: nothingElse,
    passed: left.length === 0,
    expected: [],
    actual: left.slice(0, mostListed).map(({ change }) => shown(change)),
    ...(left.length > mostListed ? { note: `${left.length} unexpected changes, ${mostListed} shown` } : {}),
  })
  return evidence
}

/** Takes the first change that fits out of the list. */
function taken(left: SignedChange[], fits: (change: SignedChange) => boolean): SignedChange | undefined {
  const at = left.findIndex(fits)
  return at < 0 ? undefined : left.splice(at, 1)[0]
}

function sameCell(a: Cell, b: Cell | undefined): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b))
}

/** A change as evidence shows it: an update by the columns it set. */
function shown(change: RowChange): Json {
  if (change.kind === 'insert') return { insert: change.table, row: change.after }
  if (change.kind === 'delete') return { delete: change.table, key: change.key }
  const set = Object.entries(change.after).filter(([column, cell]) => !sameCell(cell, change.before[column]))
  return { update: change.table, key: change.key, set: Object.fromEntries(set) }
}

function traceEvidence(checks: StoredChecks, input: JudgeInput): readonly Evidence[] {
  const evidence: Evidence[] = checkedCalls(checks.calls, input.trajectory, input.environment).map((passed, index) => ({
    name: `${checks.calls[index]?.tool} was called`,
    passed,
    expected: { ...checks.calls[index] },
  }))
  if (checks.answer !== null) {
    const { answer } = input.trajectory
    evidence.push({
      name: 'the answer is right',
      passed: isAnswerRight(checks.answer, answer, input.task.instruction),
      expected: checks.answer.value,
      actual: answer,
    })
  }
  return evidence
}
