import type { RandomStream } from 'rlenv'
import { type GoalKind, goalKinds } from './goal.ts'

/** How often each kind is wanted, in any unit. */
export type GoalWeights = Readonly<Record<GoalKind, number>>

const defaultGoalWeights: GoalWeights = {
  status: 22,
  adjust: 12,
  assign: 11,
  transfer: 9,
  update: 14,
  create: 12,
  delete: 7,
  ask: 9,
  count: 4,
}

const secondWeights: GoalWeights = { ...defaultGoalWeights, ask: 11, count: 12 }

/** The kinds of one task, in the order of its text; at most one question, at the end. */
export type GoalPlan = readonly GoalKind[]

/**
 * Kinds for so many tasks. First goals are drawn at even distances along the cumulated weights, so that rare kinds get
 * their share in every environment and none starves.
 */
export function scheduleGoals(
  count: number,
  available: readonly GoalKind[],
  shares: { readonly two: number; readonly three: number },
  boosted: readonly GoalKind[],
  random: RandomStream,
): readonly GoalPlan[] {
  const weights = weightsOf(defaultGoalWeights, available, boosted)
  const others = weightsOf(secondWeights, available, boosted)
  const firsts = random.shuffle(evenly(count, weights, random.real()))
  const sizes = random.shuffle(taskSizes(count, shares, random))
  return firsts.map((first, index) => {
    const kinds = [first]
    while (kinds.length < (sizes[index] ?? 1)) kinds.push(drawKind(others, kinds, random))
    return kinds.sort((left, right) => Number(isQuestion(left)) - Number(isQuestion(right)))
  })
}

function isQuestion(kind: GoalKind): boolean {
  return kind === 'ask' || kind === 'count'
}

function weightsOf(
  weights: GoalWeights,
  available: readonly GoalKind[],
  boosted: readonly GoalKind[],
): readonly (readonly [GoalKind, number])[] {
  return goalKinds
    .filter((kind) => available.includes(kind))
    .map((kind) => [kind, weights[kind] * (boosted.includes(kind) ? 8 : 1)] as const)
}

function evenly(count: number, weights: readonly (readonly [GoalKind, number])[], offset: number): GoalKind[] {
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
  return Array.from({ length: count }, (_, index) => kindAt(weights, ((index + offset) / count) * total))
}

function kindAt(weights: readonly (readonly [GoalKind, number])[], position: number): GoalKind {
  let left = position
  for (const [kind, weight] of weights) {
    if (left < weight) return kind
    left -= weight
  }
  return weights.at(-1)?.[0] ?? 'status'
}

/** A further kind: no second question, since a rollout ends with one answer. */
function drawKind(
  weights: readonly (readonly [GoalKind, number])[],
  kinds: readonly GoalKind[],
  random: RandomStream,
): GoalKind {
  const fitting = kinds.some(isQuestion) ? weights.filter(([kind]) => !isQuestion(kind)) : weights
  const total = fitting.reduce((sum, [, weight]) => sum + weight, 0)
  return kindAt(fitting, random.real() * total)
}

function taskSizes(
  count: number,
  shares: { readonly two: number; readonly three: number },
  random: RandomStream,
): number[] {
  const atLeast = (share: number): number => Math.floor(share * count + random.real())
  const three = atLeast(shares.three)
  const two = Math.min(count - three, atLeast(shares.two))
  return Array.from({ length: count }, (_, index) => (index < three ? 3 : index < three + two ? 2 : 1))
}
