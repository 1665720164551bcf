import { adaptiveSampler } from '@rlenv/sampler-adaptive'
import { describeSampler } from 'rlenv/testing'

describeSampler(() => adaptiveSampler())
describeSampler(() => adaptiveSampler({ window: 1, floor: 0.5, ties: 'all' }))
