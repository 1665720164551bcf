import { ternaryShaper } from '@rlenv/shaper-ternary'
import { describeRewardShaper } from 'rlenv/testing'

describeRewardShaper(() => ternaryShaper())
describeRewardShaper(() => ternaryShaper({ partial: 0.5 }))
