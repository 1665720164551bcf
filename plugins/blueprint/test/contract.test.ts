import { blueprint } from '@rlenv/blueprint'
import { describeDbMiner, describeScenarioSource, describeTaskGenerator, describeToolGenerator } from 'rlenv/testing'

describeScenarioSource(() => blueprint())
describeDbMiner(() => blueprint())
describeToolGenerator(() => blueprint())
describeTaskGenerator(() => blueprint())
