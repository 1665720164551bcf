import { pack } from '../decisions/candidate-buffer.ts'
import { firstArgumentPreferences } from './argument-preferences.ts'
import type { FeatureSpace } from './feature-hash.ts'
import { firstToolPreferences } from './tool-preferences.ts'

/**
 * Where training starts: small hand-set preferences on relational features, such as "tools whose words stand in the text"
 * or "not a write whose ids are missing". Lexical features start at 0: no word is known to mean another.
 *
 * @param scale - multiplies all of them; 0 is a uniform policy.
 */
export function initialWeights(space: FeatureSpace, scale: number): Float64Array {
  const weights = new Float64Array(space.size)
  for (const preference of [...firstToolPreferences, ...firstArgumentPreferences]) {
    for (const buckets of combinations(preference.sizes)) {
      const [a = 0, b = 0, c = 0, d = 0] = buckets
      const index = space.relational(preference.feature, pack(a, b, c, d))
      weights[index] = (weights[index] as number) + preference.weight(a, b, c, d) * scale
    }
  }
  return weights
}

/** All lists of buckets, the i-th from 0 below the i-th size. */
function combinations(sizes: readonly number[]): number[][] {
  return sizes.reduce<number[][]>(
    (lists, size) => lists.flatMap((list) => Array.from({ length: size }, (_, bucket) => [...list, bucket])),
    [[]],
  )
}
