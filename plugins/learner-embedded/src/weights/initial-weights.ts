import { pack } from '../decisions/candidate-buffer.ts'
import { answerFeatures, callFeatures, idFeatures, intentFeatures, valueFeatures } from '../decisions/feature-ids.ts'
import { spanKinds } from '../text/spans.ts'
import type { FeatureSpace } from './feature-hash.ts'

type Set = (feature: number, value: number, weight: number) => void

/**
 * Where training starts: small hand-set preferences on relational features, such as "tools whose words stand in the text"
 * or "not a write whose ids are missing". Lexical features start at 0: no word is known to mean another.
 *
 * @param scale - multiplies all of them; 0 is a uniform policy.
 */
export function initialWeights(space: FeatureSpace, scale: number): Float64Array {
  const weights = new Float64Array(space.size)
  const set: Set = (feature, value, weight) => {
    const index = space.relational(feature, value)
    weights[index] = (weights[index] as number) + weight * scale
  }
  setIntents(set)
  setFinish(set)
  setCalls(set)
  setIds(set)
  setValues(set)
  setShapes(set)
  setAnswers(set)
  return weights
}

/** All values of up to four buckets, each from 0 below its size. */
function* values(...sizes: readonly number[]): Generator<[number, number, number, number]> {
  const [a = 1, b = 1, c = 1, d = 1] = sizes
  for (let i = 0; i < a; i++) {
    for (let j = 0; j < b; j++) {
      for (let k = 0; k < c; k++) for (let l = 0; l < d; l++) yield [i, j, k, l]
    }
  }
}

function setIntents(set: Set): void {
  for (const [overlap, write] of values(7, 2)) set(intentFeatures.overlap, pack(overlap, write), 0.6 * overlap)
  for (const [status, write, question] of values(4, 2, 2)) {
    set(intentFeatures.idStatus, pack(status, write, question), [0, 0, 0.2, write === 1 ? 1 : 0][status] as number)
  }
  for (const [write, question, writes, left] of values(2, 2, 3, 3)) {
    const wanted = question === 1 ? 1 - write : write
    set(intentFeatures.kind, pack(write, question, writes, left), wanted === 1 ? 1.5 : -0.5)
  }
  for (const [same, done, last, failed] of values(3, 2, 5, 2)) {
    const sticky = same === 1 ? (done === 1 ? -1.5 : failed === 1 ? -0.5 : 2) : 0
    set(intentFeatures.same, pack(same, done, last, failed), sticky)
  }
  for (const [verb, nouns, write] of values(2, 3, 2)) {
    set(intentFeatures.verbAndNoun, pack(verb, nouns, write), 0.4 * verb + 0.3 * nouns)
  }
  for (const [fit, write, open] of values(3, 2, 4)) {
    set(intentFeatures.kindFit, pack(fit, write, open), fit === 1 ? -1 : fit === 2 && open > 0 ? 0.4 : 0)
  }
  for (const write of [0, 1]) set(intentFeatures.errored, pack(1, write), -1.5)
}

function setFinish(set: Set): void {
  for (const [writes, question, left] of values(3, 2, 3)) {
    const done = left === 0 ? 5 : writes === 0 && question === 0 ? -4 : question === 1 ? 0 : -1
    set(intentFeatures.finish, pack(writes, question, left), done)
  }
  for (const [question, found, called, left] of values(2, 5, 2, 3)) {
    if (question === 1) set(intentFeatures.finishAnswer, pack(question, found, called, left), called === 1 ? 2 : -3)
  }
  for (const [sight, called, left] of values(4, 2, 3)) {
    set(intentFeatures.finishSight, pack(sight, 1, called, left), [-2, -0.5, 1, 2][sight] as number)
  }
}

function setCalls(set: Set): void {
  for (const [isIntent, status, write] of values(2, 4, 2)) {
    if (isIntent === 1) set(callFeatures.intent, pack(isIntent, status, write), [2, -3, 0, 2.5][status] as number)
    else set(callFeatures.intent, pack(isIntent, status, write), status === 1 ? -3 : 0)
  }
  for (const [distance, status] of values(6, 4)) {
    const near = distance > 0 && distance < 5
    set(callFeatures.distanceActive, pack(distance, status), near && status !== 1 ? 1.4 : 0)
  }
  for (const [write, status] of values(2, 4)) if (write === 1) set(callFeatures.offIntent, pack(write, status), -2)
  for (const [labels, isIntent] of values(5, 2)) {
    set(callFeatures.labels, pack(labels, isIntent), [0, 0.6, -0.3, -1, -1.5][labels] as number)
  }
  for (const [called, last, isIntent] of values(4, 5, 2)) {
    set(callFeatures.called, pack(called, last, isIntent), called === 0 ? 0 : last === 4 ? -0.5 : -0.7)
  }
  set(callFeatures.errored, pack(1), -1.5)
  for (const write of [0, 1]) set(callFeatures.exhausted, pack(2, write), -1)
  for (const [beside, after, tried, possessive] of values(2, 2, 2, 2)) {
    set(callFeatures.labelNoun, pack(beside, after, tried, possessive), 0.8 * beside - 1 * tried)
  }
}

function setIds(set: Set): void {
  for (const [match, first, write] of values(4, 2, 2)) {
    set(idFeatures.match, pack(match, first, write), [-3, -1, 0.8, 1.2][match] as number)
  }
  for (const [relevance, recency, used] of values(4, 3, 2)) {
    const fit = [0.6, 1.2, 0.3, -0.6][relevance] as number
    set(idFeatures.relevance, pack(relevance, recency, used), fit - 0.3 * recency - 0.3 * used)
  }
  for (const sameRow of [0, 1]) set(idFeatures.repeated, pack(1, sameRow), -2)
  for (const [active, match, write] of values(2, 4, 2)) set(idFeatures.goal, pack(active, match, write), 0.8 * active)
  for (const write of [0, 1]) set(idFeatures.failed, pack(1, write), -1.5)
}

function setValues(set: Set): void {
  for (const [near, write, required] of values(4, 2, 2)) {
    set(valueFeatures.word, pack(near, write, required), [0, 0.8, 1.2, 0.8][near] as number)
  }
  for (const [used, write, label] of values(4, 2, 2)) {
    const spent = write === 1 ? (used >= 2 ? -1 : 0) + (used % 2 === 1 ? -1 : 0) : used % 2 === 1 ? -0.8 : 0
    set(valueFeatures.used, pack(used, write, label), spent + (write === 0 && label === 1 ? 1 : 0))
  }
  for (const [explains, write, near] of values(2, 2, 2))
    set(valueFeatures.explains, pack(explains, write, near), -explains)
  for (const [tried, write, label] of values(2, 2, 2)) set(valueFeatures.tried, pack(tried, write, label), -1.2 * tried)
  for (const [first, write, word] of values(2, 2, 2)) {
    set(valueFeatures.firstUnused, pack(first, write, word), 0.4 * first - 1.5 * word)
  }
  for (const [here, write] of values(2, 2)) set(valueFeatures.goal, pack(here, write), 0.8 * here)
  for (const write of [0, 1]) set(valueFeatures.repeated, pack(1, write), -2)
  for (const [beside, after, tried] of values(2, 2, 2))
    set(valueFeatures.labelNoun, pack(beside, after, tried), 0.8 * beside)
  for (const [mentioned, write, required, explains] of values(3, 2, 2, 2)) {
    set(valueFeatures.mentioned, pack(mentioned, write, required, explains), 1.2 * mentioned - 0.6 * explains)
  }
  for (const [none, write, worded] of values(2, 2, 2)) {
    set(valueFeatures.omit, pack(none, write, worded), write === 0 ? 2.5 : 1.5 - 1.5 * worded)
  }
}

function setShapes(set: Set): void {
  const fitting = [[], ['date'], ['time'], ['email']]
  for (const [shape, kind] of values(4, spanKinds.length)) {
    const fits = fitting[shape]?.includes(spanKinds[kind] as string) === true
    if (shape > 0) set(valueFeatures.shape, pack(shape, kind & 7, kind >> 3), fits ? 2 : -1)
  }
}

function setAnswers(set: Set): void {
  for (const [kind, many, shared] of values(3, 2, 2)) {
    const counted = kind === 1 ? (many === 1 ? 2 : -2) : many === 1 ? -1 : 0
    set(answerFeatures.question, pack(kind, many, shared), counted + 1.2 * shared)
  }
  for (const writes of [0, 1, 2]) set(answerFeatures.kind, pack(0, 1, writes), -3)
  for (const [said, number] of values(2, 2)) set(answerFeatures.mentioned, pack(said, number), -1.2 * said)
}
