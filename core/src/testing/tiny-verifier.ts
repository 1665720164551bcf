import { canonicalJson } from '../determinism/content-hash.ts'
import type { JudgeInput } from '../hooks/contexts.ts'
import type { VerifierPair } from '../hooks/pipeline-hooks.ts'
import type { Json } from '../vocabulary/json.ts'
import type { Evidence, Verdict } from '../vocabulary/outcome.ts'
import type { RowChange, StateDiff } from '../vocabulary/state-diff.ts'
import type { StoredVerifier } from '../vocabulary/task.ts'

const kind = 'tiny-diff'

/** A change as text, without the key that the database gave an inserted row. */
function changeText(change: RowChange): string {
  switch (change.kind) {
    case 'insert': {
      const own = Object.entries(change.after).filter(([column]) => !(column in change.key))
      return canonicalJson(['insert', change.table, Object.fromEntries(own)])
    }
    case 'delete':
      return canonicalJson(['delete', change.table, change.key])
    case 'update':
      return canonicalJson(['update', change.table, change.key, change.after])
  }
}

const changeTexts = (diff: StateDiff): string[] => diff.map(changeText).sort()

/** What the tiny verifier stores: the changes a rollout must make, all of them and no others, and the answer it must give. */
export function tinyVerifierOf(diff: StateDiff, answer: Json): StoredVerifier {
  return { kind, changes: changeTexts(diff), answer }
}

function judge({ verifier, trajectory, diff }: JudgeInput): Verdict | undefined {
  if (verifier.kind !== kind) return undefined
  const state: Evidence = {
    name: 'the database changed as asked and in nothing else',
    passed: canonicalJson(verifier.changes) === canonicalJson(changeTexts(diff)),
    expected: verifier.changes ?? [],
    actual: changeTexts(diff),
  }
  const answer: Evidence = {
    name: 'the answer holds what was asked for',
    passed: verifier.answer === null || trajectory.answer?.trim() === verifier.answer,
    expected: verifier.answer ?? null,
    actual: trajectory.answer,
  }
  const passed = state.passed && answer.passed
  return { kind: passed ? 'passed' : 'failed', passed, score: passed ? 1 : 0, evidence: [state, answer] }
}

/** Compares the state diff of a rollout with that of the gold run, and the answer with the gold answer. */
export const tinyVerifier: VerifierPair = {
  prepare: (task, { goldRun }) => tinyVerifierOf(goldRun.diff, task.gold.answer),
  judge,
}
