/**
 * Share of groups that are expected to have no reward variance, when every rollout passes independently with its task's
 * own rate and passing is all that moves the reward: the mean over tasks of p^G + (1 − p)^G.
 *
 * @param successRates - shape [P], pass rate per task, 0 to 1; one overall rate gives a lower bound.
 * @param groupSize - G, rollouts per draw.
 */
export function expectedFlatShare(successRates: readonly number[], groupSize: number): number {
  if (successRates.length === 0) return 1
  const total = successRates.reduce((sum, rate) => sum + rate ** groupSize + (1 - rate) ** groupSize, 0)
  return total / successRates.length
}
