import { filterGroups } from '@rlenv/groups-filter'
import { describeGroups } from 'rlenv/testing'

describeGroups(() => filterGroups())
describeGroups(() => filterGroups({ minCounted: 3 }))
