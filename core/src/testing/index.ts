/** The test kit of rlenv: what the tests of a plugin, ours or a stranger's, build on. */

// policies that play a script
export {
  type CutTurn,
  type GoldPolicyOptions,
  goldPolicy,
  goldTurns,
  type ScriptedPolicyOptions,
  type ScriptedTurn,
  scriptedPolicy,
} from './scripted-policy.ts'
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
