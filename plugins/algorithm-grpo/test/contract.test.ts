import { cispo, dapo, drGrpo, grpo, gspo, rloo } from '@rlenv/algorithm-grpo'
import { describeAlgorithm } from 'rlenv/testing'

describeAlgorithm(() => grpo())
describeAlgorithm(() => grpo({ samplesPer: 'turn', deviation: 'sample', aggregation: 'token-mean', dualClip: 3 }))
describeAlgorithm(() => grpo({ scaleRewards: 'batch', kl: { coefficient: 0.1 } }))
describeAlgorithm(() => drGrpo({ length: 16 }))
describeAlgorithm(() => dapo())
describeAlgorithm(() => gspo())
describeAlgorithm(() => gspo({ clip: { low: 0.2, high: 0.28 } }))
describeAlgorithm(() => cispo())
describeAlgorithm(() => rloo({ klInReward: { coefficient: 0.05 }, importanceSampling: { level: 'sequence' } }))
