import { z } from 'zod'
import type {
  EvaluationOptions,
  OutputOptions,
  RlenvConfig,
  RolloutOptions,
  SynthesisOptions,
  TrainingOptions,
  WatchdogOptions,
} from './rlenv-config.ts'

/** One schema per key; the compiler fails when an option of the interface has none. */
type Shape<Options> = Readonly<Record<keyof Options, z.ZodType>>

const positive = z.int().min(1)
const notNegative = z.int().min(0)
const share = z.number().min(0).max(1)
const text = z.string().min(1)
/** The longest wait that a timer of JavaScript can hold. */
const durationMs = z
  .int()
  .min(1)
  .max(2 ** 31 - 1)

const synthesis: Shape<SynthesisOptions> = {
  environments: positive,
  tasksPerEnvironment: positive,
  minTasksPerEnvironment: notNegative,
  maxAttempts: positive,
  maxConcurrentEnvironments: positive,
  artifactDirectory: text,
}

const rollout: Shape<RolloutOptions> = {
  maxTurns: positive,
  maxToolCalls: positive.nullable(),
  maxConcurrentRollouts: positive,
  mode: z.enum(['inline', 'workers', 'processes']),
  shards: positive.nullable(),
  shardMemoryMib: z.int().min(128).nullable(),
  toolTimeoutMs: durationMs,
  turnTimeoutMs: durationMs,
  rolloutTimeoutMs: durationMs,
  maxResultChars: positive,
  maxAttempts: positive,
  temperature: z.number().min(0),
  topP: z.number().gt(0).max(1),
  maxTokens: positive.nullable(),
}

const training: Shape<TrainingOptions> = {
  steps: notNegative,
  maxRollouts: positive.nullable(),
  tasksPerStep: positive,
  rolloutsPerTask: positive,
  optimizerStepsPerStep: positive,
  maxRefills: notNegative,
  evaluateEverySteps: notNegative,
  checkpointEverySteps: positive,
  keepCheckpoints: positive.nullable(),
  maxStaleness: notNegative,
  rolloutShare: z.number().gt(0).max(1),
  bufferMib: z.number().min(0),
  warnAfterDeadSteps: positive,
  stopAfterDeadSteps: positive,
  maxFailureShare: share,
}

const evaluation: Shape<EvaluationOptions> = {
  heldOutShare: share,
  splitSeed: z.int().nullable(),
  rolloutsPerTask: positive,
  greedy: z.boolean(),
  temperature: z.number().min(0),
  confidence: z.number().gt(0).lt(1),
  maxTasks: positive.nullable(),
  maxFailureShare: share,
}

const output: Shape<OutputOptions> = { directory: text, tracesEverySteps: positive }

const watchdog: Shape<WatchdogOptions> = {
  progressAfterMs: durationMs,
  warnAfterMs: durationMs,
  stopAfterMs: durationMs,
}

const sections = { synthesis, rollout, training, evaluation, output, watchdog } as const

export type SectionName = keyof typeof sections

const sectionNames = Object.keys(sections) as readonly SectionName[]

const entry = z.custom((value) => value !== true, 'expected a plugin, a package name, or [name, options]')

/** One configuration or path, or a list of them; the issue names the place in the list. */
const sources = z.unknown().check((context) => {
  const list = Array.isArray(context.value) ? context.value : [context.value]
  for (const [index, item] of list.entries()) {
    if (typeof item === 'string' || (typeof item === 'object' && item !== null)) continue
    const path = Array.isArray(context.value) ? [index] : []
    context.issues.push({ code: 'custom', input: item, path, message: 'expected a configuration or its path' })
  }
})

const configShape: Shape<RlenvConfig> = {
  name: text,
  extends: sources,
  plugins: z.array(entry),
  without: z.array(text),
  seed: z.int(),
  synthesis: section(synthesis),
  rollout: section(rollout),
  training: section(training),
  evaluation: section(evaluation),
  output: section(output),
  watchdog: section(watchdog),
}

/** What a configuration file may export; `undefined` stands for a key that was left out. */
export const configSchema = section(configShape)

/** Every setting's path, for example "training.steps". */
export const settingPaths: readonly string[] = [
  'name',
  'seed',
  ...sectionNames.flatMap((name) => Object.keys(sections[name]).map((key) => `${name}.${key}`)),
]

function section(shape: Readonly<Record<string, z.ZodType>>): z.ZodObject {
  return z.strictObject(Object.fromEntries(Object.entries(shape).map(([key, schema]) => [key, schema.optional()])))
}
