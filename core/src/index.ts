/**
 * The public API of rlenv. Every line is a promise: names are exported one by one, and a test pins the list.
 */

// ablations
export { type AblationOptions, defineAblation } from './ablation/ablation-plan.ts'
export type { AblationReport } from './ablation/ablation-report.ts'
// artefacts and environment bundles
export { artifactKey, type Producer } from './artifacts/artifact-key.ts'
export { ArtifactStore } from './artifacts/artifact-store.ts'
export { readBundle, writeBundle } from './artifacts/bundle-directory.ts'
export { type BundleManifest, type BundleTask, bundleFormat, bundleJsonSchemas } from './artifacts/bundle-schemas.ts'
export { packBundle, unpackBundle } from './artifacts/pack-bundle.ts'
export { readBundles } from './artifacts/read-bundles.ts'
export { rlenvVersion } from './artifacts/rlenv-version.ts'
// plugins and configuration
export { type ResolvedConfigDocument, resolvedConfigDocument } from './config/config-document.ts'
export { type ConfigFunction, defineConfig } from './config/define-config.ts'
export { describeSizes, flatGroupShare, type SizesDescription } from './config/describe-sizes.ts'
export {
  type LoadedConfig,
  type LoadOptions,
  loadConfig,
  type ResolveOptions,
  resolveConfig,
} from './config/resolve-config.ts'
export type {
  ConfigEnvironment,
  ConfigSource,
  EvaluationOptions,
  OutputOptions,
  PluginEntry,
  ResolvedConfig,
  RlenvConfig,
  RolloutMode,
  RolloutOptions,
  SynthesisOptions,
  TrainingOptions,
  WatchdogOptions,
} from './config/rlenv-config.ts'
export { type Clock, systemClock } from './determinism/clock.ts'
export { canonicalJson, contentHash } from './determinism/content-hash.ts'
export { type RandomState, RandomStream } from './determinism/random-stream.ts'
// environment engine
export { draftWorld } from './environment/draft-world.ts'
export type { EnvironmentInstance, InstanceStrategy } from './environment/environment-instance.ts'
export { ExecutableEnvironment, type ExecutableParts, type OpenOptions } from './environment/executable-environment.ts'
export { ExecutableWorld } from './environment/executable-world.ts'
export { buildImage } from './environment/image/build-image.ts'
export type { DatabaseImage } from './environment/image/database-image.ts'
export { imageFromFile } from './environment/image/import-image.ts'
export { loadEnvironment } from './environment/load-environment.ts'
export { runGold } from './environment/run-gold.ts'
export { loadSandbox } from './environment/sandbox/quickjs-module.ts'
export {
  runVerifierScript,
  type VerifierScript,
  type VerifierScriptInput,
  type VerifierScriptOptions,
  type VerifierScriptResult,
} from './environment/sandbox/run-verifier-script.ts'
export type { ScriptLimits } from './environment/sandbox/script-runtime.ts'
export { checkNativeModule, type NativeModuleReport } from './environment/sqlite/native-module.ts'
export type { ColumnInfo, TableInfo } from './environment/sqlite/table-info.ts'
export { ArgumentPool } from './environment/tools/argument-pool.ts'
export { ArgumentValidator, outputViolations, type ValidatedArguments } from './environment/tools/argument-validator.ts'
export { type GenerateOptions, generateArguments } from './environment/tools/generate-arguments.ts'
export { PolicyNames } from './environment/tools/policy-names.ts'
export {
  metaSurface,
  type RoutedCall,
  routeCall,
  surfaceTools,
} from './environment/tools/tool-surface.ts'
export { type ErrorCode, errorCodes } from './errors/error-codes.ts'
// errors and determinism
export { exitCodeOf } from './errors/exit-code.ts'
export { fromFileError } from './errors/file-error.ts'
export { didYouMean, nearNames } from './errors/near-names.ts'
export { type RenderOptions, renderError } from './errors/render-error.ts'
export { isRlenvError, RlenvError, type RlenvErrorOptions } from './errors/rlenv-error.ts'
export { assertFailureShare, type EvaluateOptions, evaluate, evaluationMetrics } from './evaluation/evaluate.ts'
export {
  type Estimate,
  type EvaluationReport,
  type EvaluationRow,
  type EvaluationSummary,
  failureShare,
  type PassEstimates,
} from './evaluation/evaluation-report.ts'
export { type EvaluationRun, type EvaluationSession, openEvaluation } from './evaluation/evaluation-session.ts'
export { breakdownTable, evaluationTable, successChange } from './evaluation/evaluation-table.ts'
export { type CurvePoint, learningCurveSvg } from './evaluation/learning-curve-svg.ts'
export { passAtK, passHatK } from './evaluation/pass-at-k.ts'
// training and evaluation
export { type EnvironmentSplit, splitEnvironments } from './evaluation/split-environments.ts'
// hooks and roles
export type {
  GroupsContext,
  HookContext,
  JudgeInput,
  RewardContext,
  SamplerContext,
  ScenarioContext,
  ScenarioSourceContext,
  SlotContext,
  StageContext,
  TaskContext,
  ToolContext,
  Toolset,
  VerifierContext,
} from './hooks/contexts.ts'
export type {
  Awaitable,
  GroupsHandler,
  HandlerMemory,
  HookKind,
  HookName,
  OrderedGroupsHandler,
  OrderedHandler,
  PluginHooks,
  Tap,
  VerifierPair,
} from './hooks/pipeline-hooks.ts'
export { hookPoints } from './hooks/pipeline-hooks.ts'
export type { Kept, Plugin, SecretReference, SetupContext, SpillBuffer } from './hooks/plugin.ts'
export type {
  AccumulateReport,
  Algorithm,
  Curriculum,
  CurriculumPlan,
  CurriculumRequest,
  Draw,
  Learner,
  Policy,
  PolicyRequest,
  PolicyResponse,
  PolicySnapshot,
  RolloutLimits,
  RolloutRequest,
  RolloutResult,
  RolloutStrategy,
  SamplingParams,
  ScaledSample,
  StepReport,
  TaskSampler,
  TrainingBatch,
} from './hooks/roles.ts'
export type {
  CallOutcome,
  CapturedState,
  DraftWorld,
  StateReader,
  World,
  WorldInstance,
  WorldRequest,
} from './hooks/world.ts'
// plugins: defining and assembling them
export { corePlugins, executableWorld } from './pipeline/core-plugins.ts'
export { type LoadedPipeline, type LoadPipelineOptions, loadPipeline } from './pipeline/load-pipeline.ts'
export { type AssembledPipeline, assemblePipeline, type PipelineOptions } from './plugin/assemble-pipeline.ts'
export { definePlugin, type PluginDefinition, type PluginFactory } from './plugin/define-plugin.ts'
export type { HookTiming } from './plugin/guard.ts'
export type { HookReport, LayerName, Pipeline, PipelineRecipe, PipelineReport } from './plugin/pipeline.ts'
export type { PluginLayer } from './plugin/plugin-layers.ts'
export { SecretVault, secret, secretSchema } from './plugin/secrets.ts'
export type { WatchdogLimits } from './plugin/watchdog.ts'
// rollouts and rewards
export {
  defaultVerifierTimeoutMs,
  type JudgeRolloutRequest,
  judgeRollout,
} from './reward/judge-rollout.ts'
export { outcomeOf, type VerdictFailure } from './reward/outcome-of.ts'
export type { CollectRequest, RolloutTiming } from './rollout/collect-request.ts'
export { ContextOverflow } from './rollout/context-overflow.ts'
export { FailureTally } from './rollout/failure-tally.ts'
export { historyWindow, messagesSeenAt, type Window } from './rollout/history-window.ts'
export { ReactRollout, type ReactRolloutOptions, reactRollout } from './rollout/react-rollout.ts'
export { createRolloutEngine, type RolloutEngine, type RolloutEngineOptions } from './rollout/rollout-engine.ts'
export type { CheckContext, StepCheck, StepFault } from './rollout/step-check.ts'
export {
  arenaStepChecks,
  argumentsCheck,
  awmStepChecks,
  knownToolCheck,
  listToolsFirstCheck,
  reasoningCheck,
  serverCheck,
  usefulCallCheck,
} from './rollout/step-checks.ts'
export type { DecidedLine } from './runs/decided-line.ts'
// the folder of a run and its files
export type { TornTail } from './runs/jsonl-file.ts'
export { type JsonlEnd, type JsonlRecord, readJsonl } from './runs/read-jsonl.ts'
export { readTraces } from './runs/read-traces.ts'
export type { TraceCall, TraceResult, TraceTurn } from './runs/repeated-results.ts'
export { RunDirectory, type RunOptions } from './runs/run-directory.ts'
export type { RunIdentity } from './runs/run-folder.ts'
export type { RunAttempt, RunMetadata } from './runs/run-metadata.ts'
export type { MetricsLine, StepPlace } from './runs/step-files.ts'
export { judgedFromTrace, type TraceError, type TraceLine, traceLine } from './runs/trace-line.ts'
// serving
export type { EnvironmentServer, EnvironmentServerOptions } from './serving/environment-server.ts'
export { openMcpServer } from './serving/mcp/open-mcp-server.ts'
export type { OpenEnvOptions } from './serving/openenv/openenv-routes.ts'
export { serveEnvironments } from './serving/serve-environments.ts'
export type { Session } from './serving/session.ts'
export { SessionBroker, type SessionBrokerOptions, type SessionRequest } from './serving/session-broker.ts'
export type { SessionLimits } from './serving/session-limits.ts'
export type { SessionCall } from './serving/session-record.ts'
export type { SessionState, SessionStateReader } from './serving/session-state.ts'
// synthesis and the gate
export { type ContaminationReport, contamination, type TaskPair } from './synthesis/contamination.ts'
export { gateError } from './synthesis/gate/gate-error.ts'
export {
  type GateFinding,
  type GateFindingCode,
  type GateReport,
  type GateStatus,
  gateFindings,
  type TaskReport,
  type ToolReport,
} from './synthesis/gate/gate-report.ts'
export { type ScriptedRun, scriptedTrajectory } from './synthesis/gate/scripted-trajectory.ts'
export { type ValidateOptions, validateEnvironment } from './synthesis/gate/validate-environment.ts'
export type { SynthesisRequest } from './synthesis/stage.ts'
export type { ReasonCount, StageYield, SynthesisReport } from './synthesis/synthesis-report.ts'
export { synthesize } from './synthesis/synthesize.ts'
export type { EnvironmentDrop } from './synthesis/synthesize-environment.ts'
export { createEventBus, type EventBus } from './telemetry/event-bus.ts'
export type { EventSink, RolloutPurpose, RunEvent, RunStatus } from './telemetry/run-event.ts'
export { createRunLog, type LogLevel, type RunLog, type RunLogOptions } from './telemetry/run-log.ts'
export { expectedFlatShare } from './training/flat-share.ts'
export { keepAllGroups } from './training/keep-all-groups.ts'
export { type AggregationOptions, aggregationScales, trainedActions } from './training/loss/aggregation-scales.ts'
export {
  type AdvantageBaseline,
  type AdvantageOptions,
  batchAdvantages,
  groupAdvantages,
  type RewardScale,
} from './training/loss/group-advantages.ts'
export { groupRewards } from './training/loss/group-rewards.ts'
export { type GroupStatistics, groupStatistics } from './training/loss/group-statistics.ts'
export { klEstimate } from './training/loss/kl-estimate.ts'
export { type PolicyLossOptions, policyLoss } from './training/loss/policy-loss.ts'
export { train } from './training/train.ts'
export { loadCheckpoint, type TrainingCheckpoint, type TrainingCounters } from './training/training-checkpoint.ts'
export type { OpenRollouts, TrainingRecords } from './training/training-records.ts'
export { reportHtml, type TrainingReport } from './training/training-report.ts'
export type { TrainingRun } from './training/training-session.ts'
export type { Cell, DatabaseDraft, Row } from './vocabulary/database.ts'
export { type Environment, reservedToolNames, type StageProvenance } from './vocabulary/environment.ts'
// vocabulary
export type { Json, JsonObject, JsonSchema } from './vocabulary/json.ts'
export { jsonFault } from './vocabulary/json-fault.ts'
export type {
  AssistantMessage,
  ChatToolCall,
  Message,
  SystemMessage,
  ToolMessage,
  UserMessage,
} from './vocabulary/message.ts'
export { type Evidence, type Outcome, type StopReason, stopReasonName, type Verdict } from './vocabulary/outcome.ts'
export type { Scenario } from './vocabulary/scenario.ts'
export type { RowChange, StateDiff } from './vocabulary/state-diff.ts'
export type { GoldRun, QueryRows, StoredVerifier, Task, ToolCall } from './vocabulary/task.ts'
export type {
  ArgumentViolation,
  QueryImplementation,
  SqlStep,
  Tool,
  ToolDefinition,
  ToolError,
  ToolErrorKind,
  ToolErrorTemplate,
  ToolImplementation,
  ToolResult,
} from './vocabulary/tool.ts'
export type {
  Aggregation,
  ImportanceSampling,
  KlEstimator,
  KlPenalty,
  Loss,
  LossInput,
  LossOutput,
  TrainingSample,
} from './vocabulary/training-sample.ts'
export {
  type ActionSpan,
  type CallRecord,
  isCounted,
  type JudgedTrajectory,
  type Trajectory,
  type TrajectoryGroup,
  type Turn,
} from './vocabulary/trajectory.ts'
