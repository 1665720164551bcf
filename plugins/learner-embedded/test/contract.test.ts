import { describePolicy } from 'rlenv/testing'
import { embeddedLearner } from '../src/index.ts'

describePolicy(() => embeddedLearner())
