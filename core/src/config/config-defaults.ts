import { defaultWatchdog } from '../plugin/watchdog.ts'
import type { ResolvedConfig } from './rlenv-config.ts'

/** The settings of a configuration that are plain values. */
export type ConfigSettings = Omit<ResolvedConfig, 'baseDirectory' | 'file'>

export const configDefaults: ConfigSettings = {
  name: 'run',
  seed: 0,
  synthesis: {
    environments: 100,
    tasksPerEnvironment: 10,
    minTasksPerEnvironment: 5,
    maxAttempts: 5,
    maxConcurrentEnvironments: 4,
    artifactDirectory: '.rlenv/artifacts',
  },
  rollout: {
    maxTurns: 20,
    maxToolCalls: null,
    maxConcurrentRollouts: 64,
    mode: 'inline',
    shards: null,
    shardMemoryMib: null,
    toolTimeoutMs: 30_000,
    turnTimeoutMs: 300_000,
    rolloutTimeoutMs: 1_800_000,
    maxResultChars: 20_000,
    maxAttempts: 3,
    temperature: 1,
    topP: 1,
    maxTokens: null,
  },
  training: {
    steps: 96,
    maxRollouts: null,
    tasksPerStep: 64,
    rolloutsPerTask: 16,
    optimizerStepsPerStep: 1,
    maxRefills: 3,
    evaluateEverySteps: 0,
    checkpointEverySteps: 10,
    keepCheckpoints: 3,
    maxStaleness: 0,
    rolloutShare: 0.5,
    bufferMib: 1024,
    warnAfterDeadSteps: 3,
    stopAfterDeadSteps: 10,
    maxFailureShare: 0.5,
  },
  evaluation: {
    heldOutShare: 0.3,
    splitSeed: null,
    rolloutsPerTask: 4,
    greedy: true,
    temperature: 1,
    confidence: 0.95,
    maxTasks: null,
    maxFailureShare: 0.05,
  },
  output: { directory: 'outputs', tracesEverySteps: 1 },
  watchdog: { progressAfterMs: 60_000, ...defaultWatchdog },
}
