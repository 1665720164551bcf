/** The test kit of rlenv: what the tests of a plugin, ours or a stranger's, build on. */

// one environment for whatever must not be told apart by behaviour, and how to compare
export { compareStrategies, type StrategyComparison, type StrategyComparisonOptions } from './compare-strategies.ts'
// contract suites, one per hook point
export { describeAlgorithm } from './contracts/describe-algorithm.ts'
export { describeCurriculum } from './contracts/describe-curriculum.ts'
export { describeGroups } from './contracts/describe-groups.ts'
export { describeLearner } from './contracts/describe-learner.ts'
export { describePolicy } from './contracts/describe-policy.ts'
export { describeRewardShaper } from './contracts/describe-reward-shaper.ts'
export { describeRollout } from './contracts/describe-rollout.ts'
export { describeSampler } from './contracts/describe-sampler.ts'
export {
  describeDbMiner,
  describeScenarioSource,
  describeTaskGenerator,
  describeToolGenerator,
} from './contracts/describe-synthesis.ts'
export { describeVerifier } from './contracts/describe-verifier.ts'
export { describeWatch } from './contracts/describe-watch.ts'
export { describeWorld } from './contracts/describe-world.ts'
export { pipelineOf } from './contracts/pipeline-of.ts'
export { intricateEnvironment } from './intricate-environment.ts'
// policies that play a script, or anything
export { type RandomToolPolicyOptions, randomToolPolicy } from './random-tool-policy.ts'
export {
  type CutTurn,
  type GoldPolicyOptions,
  goldPolicy,
  goldTurns,
  type ScriptedPolicyOptions,
  type ScriptedTurn,
  scriptedPolicy,
} from './scripted-policy.ts'
export { testContext, testSetupContext, testSlotContext } from './test-context.ts'
// a tiny whole environment, and the plugin that makes it
export {
  type TinyEnvironmentOptions,
  tinyDatabase,
  tinyEnvironment,
  tinyScenario,
  tinyTasks,
} from './tiny-environment.ts'
export { librarySchema, libraryTools } from './tiny-library.ts'
export { tinyHooks, tinyPlugin } from './tiny-plugin.ts'
export { tinyVerifier, tinyVerifierOf } from './tiny-verifier.ts'
export { groupOf, judgedOf, type MemberSpec, type TrajectoryParts, trajectoryOf } from './trajectories.ts'
