import { uniformSampler } from '@rlenv/sampler-uniform'
import { describeSampler } from 'rlenv/testing'

describeSampler(() => uniformSampler())
describeSampler(() => uniformSampler({ replacement: true }))
