import { drGrpo, grpo } from '@rlenv/algorithm-grpo'
import { describeAlgorithm } from 'rlenv/testing'

describeAlgorithm(() => grpo())
describeAlgorithm(() => grpo({ samplesPer: 'turn', normalize: 'std-sample', aggregation: 'token-mean' }))
describeAlgorithm(() => drGrpo({ length: 16 }))
