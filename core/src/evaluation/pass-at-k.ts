/**
 * Probability that at least one of k rollouts passes: the unbiased estimator 1 − C(n − c, k) / C(n, k).
 *
 * @param counted - n, rollouts of one task that count.
 * @param passed - c, how many of them passed.
 * @returns null when k > n: it cannot be estimated.
 * @see Chen et al., arXiv:2107.03374, equation 1.
 */
export function passAtK(counted: number, passed: number, k: number): number | null {
  if (k > counted) return null
  let allFail = 1
  for (let i = 0; i < k; i++) allFail *= Math.max(0, counted - passed - i) / (counted - i)
  return 1 - allFail
}

/**
 * Probability that all of k rollouts pass: the unbiased estimator C(c, k) / C(n, k).
 *
 * @returns null when k > n.
 * @see tau-bench, arXiv:2406.12045, section 4 (pass^k).
 */
export function passHatK(counted: number, passed: number, k: number): number | null {
  if (k > counted) return null
  let allPass = 1
  for (let i = 0; i < k; i++) allPass *= Math.max(0, passed - i) / (counted - i)
  return allPass
}
