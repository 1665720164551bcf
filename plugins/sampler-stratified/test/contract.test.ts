import { stratifiedSampler } from '@rlenv/sampler-stratified'
import { describeSampler } from 'rlenv/testing'

describeSampler(() => stratifiedSampler())
describeSampler(() => stratifiedSampler({ by: 'environment' }))
describeSampler(() => stratifiedSampler({ by: 'difficulty', difficultyBands: 3 }))
describeSampler(() => stratifiedSampler({ by: 'kind' }))
