import { callFeatures as call, intentFeatures as intent } from '../decisions/feature-ids.ts'
import { at, type Preference } from './preference.ts'

/** What the policy leans to when it chooses an intent, a call, or to finish. */
export const firstToolPreferences: readonly Preference[] = [
  { feature: intent.overlap, sizes: [7, 4], weight: (overlap) => 0.6 * overlap },
  {
    feature: intent.idStatus,
    sizes: [4, 2, 2],
    weight: (status, write) => at([0, 0, 0.2, write], status),
  },
  {
    feature: intent.kind,
    sizes: [2, 2, 3, 3],
    weight: (write, question) => at(question === 1 ? [1.5, -2.5] : [-0.5, 1.5], write),
  },
  {
    feature: intent.same,
    sizes: [3, 2, 5, 2],
    weight: (same, done, _last, failed) => (same !== 1 ? 0 : at([at([2, -0.5], failed), -1.5], done)),
  },
  { feature: intent.verbAndNoun, sizes: [2, 3, 4], weight: (verb, nouns) => 0.4 * verb + 0.3 * nouns },
  {
    feature: intent.kindFit,
    sizes: [3, 2, 4],
    weight: (fit, _write, open) => at([0, -3, open > 0 ? 0.4 : 0], fit),
  },
  { feature: intent.errored, sizes: [2, 2], weight: (errored) => -1.5 * errored },
  {
    feature: intent.finish,
    sizes: [3, 2, 3],
    weight: (writes, question, left) => finishing(writes, question, left),
  },
  {
    feature: intent.finishAnswer,
    sizes: [2, 5, 2, 3],
    weight: (question, _found, called) => question * at([-3, 2], called),
  },
  {
    feature: intent.finishSight,
    sizes: [4, 2, 2, 3],
    weight: (sight, question) => question * at([-2, -0.5, 1, 2], sight),
  },
  {
    feature: call.intent,
    sizes: [2, 4, 2],
    weight: (isIntent, status) => at(isIntent === 1 ? [2, -3, 0, 2.5] : [0, -3], status),
  },
  {
    feature: call.distanceActive,
    sizes: [6, 4],
    weight: (distance, status) => (status === 1 ? 0 : at([0, 1.4, 1.4, 1.4, 1.4], distance)),
  },
  { feature: call.offIntent, sizes: [2, 4], weight: (write) => -2 * write },
  { feature: call.labels, sizes: [5, 2], weight: (labels) => at([0, 0.6, -0.3, -1, -1.5], labels) },
  {
    feature: call.called,
    sizes: [4, 5, 2],
    weight: (called, last) => (called === 0 ? 0 : last === 4 ? -0.5 : -0.7),
  },
  { feature: call.errored, sizes: [2], weight: (errored) => -1.5 * errored },
  { feature: call.exhausted, sizes: [4, 2], weight: (ids) => at([0, 0, -1], ids) },
  {
    feature: call.labelNoun,
    sizes: [2, 2, 2, 2],
    weight: (beside, _after, tried) => 0.8 * beside - tried,
  },
]

/** Nothing is left to do, something was done, or nothing yet. */
function finishing(writes: number, question: number, goalsLeft: number): number {
  if (goalsLeft === 0) return 5
  if (question === 1) return 0
  return writes === 0 ? -4 : -1
}
