import { answerFeatures as answer, idFeatures as id, valueFeatures as value } from '../decisions/feature-ids.ts'
import { spanKinds } from '../text/spans.ts'
import { at, type Preference } from './preference.ts'

/** What the policy leans to when it fills in arguments or answers. */
export const firstArgumentPreferences: readonly Preference[] = [
  { feature: id.match, sizes: [4, 2, 2], weight: (match) => at([-3, -1, 0.8, 1.2], match) },
  {
    feature: id.relevance,
    sizes: [4, 3, 2],
    weight: (relevance, recency, used) => at([0.6, 1.2, 0.3, -0.6], relevance) - 0.3 * recency - 0.3 * used,
  },
  { feature: id.repeated, sizes: [2, 2], weight: (sameValue) => -2 * sameValue },
  { feature: id.goal, sizes: [2, 4, 2], weight: (active) => 0.8 * active },
  { feature: id.failed, sizes: [2, 2], weight: (failed) => -1.5 * failed },
  { feature: value.word, sizes: [4, 2, 2], weight: (near) => at([0, 0.8, 1.2, 0.8], near) },
  { feature: value.used, sizes: [4, 2, 2], weight: (used, write, label) => spent(used, write) + (1 - write) * label },
  { feature: value.explains, sizes: [2, 2, 2], weight: (explains) => -explains },
  { feature: value.tried, sizes: [2, 2, 2], weight: (tried) => -1.2 * tried },
  { feature: value.firstUnused, sizes: [2, 2, 2], weight: (first, _write, word) => 0.4 * first - 1.5 * word },
  { feature: value.goal, sizes: [2, 2], weight: (here) => 0.8 * here },
  { feature: value.repeated, sizes: [2, 2], weight: (repeated) => -2 * repeated },
  { feature: value.labelNoun, sizes: [2, 2, 2], weight: (beside) => 0.8 * beside },
  {
    feature: value.mentioned,
    sizes: [3, 2, 2, 2],
    weight: (mentioned, _write, _required, explains) => 1.2 * mentioned - 0.6 * explains,
  },
  {
    feature: value.omit,
    sizes: [2, 2, 2],
    weight: (_none, write, worded) => (write === 0 ? 2.5 : 1.5 - 1.5 * worded),
  },
  { feature: value.shape, sizes: [4, 8, 2], weight: (shape, low, high) => shaped(shape, low + 8 * high) },
  { feature: value.claimed, sizes: [2, 4, 2], weight: (claimed) => -1.2 * claimed },
  {
    feature: answer.question,
    sizes: [3, 2, 2],
    weight: (kind, many, shared) => at([-many, 4 * many - 2, -many], kind) + 1.2 * shared,
  },
  { feature: answer.kind, sizes: [3, 2, 3], weight: (kind, question) => (kind === 0 ? -3 * question : 0) },
  { feature: answer.goal, sizes: [2, 4, 3], weight: (active) => active },
  { feature: answer.mentioned, sizes: [2, 2], weight: (said) => -1.2 * said },
]

/** A value that a write took, or a name that a look-up resolved, has done its work. */
function spent(used: number, write: number): number {
  const resolved = used & 1
  return write === 0 ? -0.8 * resolved : -resolved - (used >> 1)
}

/** Kinds of spans that fit each text format, by {@link parameterShapes}. */
const fitting = [[], ['date'], ['time'], ['email']]
const formatted = new Set<string>(['date', 'time', 'email'])

function shaped(shape: number, kind: number): number {
  if (kind >= spanKinds.length) return 0
  if (shape === 0) return formatted.has(spanKinds[kind] as string) ? -0.7 : 0
  return fitting[shape]?.includes(spanKinds[kind] as string) === true ? 2 : -1
}
