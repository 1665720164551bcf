import { replayGroups } from '@rlenv/groups-replay'
import { describeGroups } from 'rlenv/testing'

describeGroups(() => replayGroups())
describeGroups(() => replayGroups({ flat: 'keep', maxAge: 1, perReward: 1, maxPerTask: 2 }))
