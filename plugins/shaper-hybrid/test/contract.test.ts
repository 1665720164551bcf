import { hybridShaper } from '@rlenv/shaper-hybrid'
import { describeRewardShaper } from 'rlenv/testing'

describeRewardShaper(() => hybridShaper())
