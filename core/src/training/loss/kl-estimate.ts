import type { KlEstimator } from '../../vocabulary/training-sample.ts'

/** Above this the exponent of k3 is held, so that one far-off action stays finite. */
const largestExponent = 20

/**
 * Value and derivative with respect to the policy's log-probability; the reference carries no gradient.
 *
 * @param policy - log-probability under the weights being trained, in nats.
 * @param reference - under the frozen reference weights, in nats.
 * @see J. Schulman, "Approximating KL Divergence" (2020); k3 is DeepSeekMath's, arXiv:2402.03300, equation 4.
 */
export function klEstimate(
  estimator: KlEstimator,
  policy: number,
  reference: number,
): { readonly value: number; readonly slope: number } {
  const difference = policy - reference
  if (estimator === 'k1') return { value: difference, slope: 1 }
  if (estimator === 'k2') return { value: (difference * difference) / 2, slope: difference }
  if (-difference > largestExponent) return { value: Math.exp(largestExponent) - 1 + difference, slope: 1 }
  const excess = Math.expm1(-difference)
  return { value: Math.max(0, excess + difference), slope: -excess }
}
