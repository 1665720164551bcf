import { artifactKey } from '../artifacts/artifact-key.ts'
import { RandomStream } from '../determinism/random-stream.ts'
import type { ErrorCode } from '../errors/error-codes.ts'
import { isRlenvError, messageOf } from '../errors/rlenv-error.ts'
import type { Environment } from '../vocabulary/environment.ts'
import { feedbackText } from './feedback-text.ts'
import type { Stage, StageRecord, StageResult, SynthesisRequest } from './stage.ts'

/** A stage that ended: with a record, or without one because every try ended in an exception. */
export interface StageEnd {
  readonly key: string
  readonly cached: boolean
  readonly attempts: number
  readonly durationMs: number
  readonly record: StageRecord | null
  /** The last exception, when there is no record. */
  readonly cause: unknown
}

/** No other try and no other scenario can help: the configuration, a plugin's contract or the disk is at fault. */
const fatalCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'RLENV_HOOK_EMPTY',
  'RLENV_PLUGIN_INVALID',
  'RLENV_PLUGIN_OPTIONS',
  'RLENV_PLUGIN_RETURNED_NOTHING',
  'RLENV_SECRET_MISSING',
  'RLENV_NATIVE_MODULE',
  'RLENV_DISK_FULL',
  'RLENV_OUTPUT_UNWRITABLE',
  'RLENV_INTERRUPTED',
])

/** Whether an exception must end the whole run. */
function isFatal(thrown: unknown): boolean {
  return isRlenvError(thrown) && fatalCodes.has(thrown.code)
}

/** Key of what a stage makes of an environment whose state so far has the key `input`. */
function stageKey(stage: Stage, seed: number, input: string, { pipeline, config }: SynthesisRequest): string {
  const { maxAttempts } = config.synthesis
  return artifactKey(
    {
      stage: stage.name,
      plugins: pipeline.producers(stage.hook),
      options: { maxAttempts: stage.repeats ? maxAttempts : 1, settings: stage.settings(config.synthesis) },
      seed,
    },
    [input],
  )
}

/**
 * Serves a stage's result from the store, or makes it: generate, execute, and with what went wrong generate again, until
 * a try is accepted or there were `maxAttempts`; then the best one counts. Results are stored before the next stage
 * starts, so an interrupted run loses at most the stage it was in. Exceptions are not stored: they may be passing.
 */
export async function runStage(
  stage: Stage,
  draft: Environment,
  input: string,
  request: SynthesisRequest,
): Promise<StageEnd> {
  const key = stageKey(stage, draft.seed, input, request)
  const stored = (await request.store.get(key)) as StageRecord | undefined
  if (stored !== undefined) {
    return { key, cached: true, attempts: stored.attempts, durationMs: 0, record: stored, cause: null }
  }
  const started = request.clock.now()
  const { best, attempts, costUsd, cause } = await tryStage(stage, draft, request)
  const plugins = request.pipeline.producers(stage.hook).map(({ name, version }) => `${name}@${version}`)
  const record = best === null ? null : { ...best, stage: stage.name, plugins, attempts, costUsd }
  if (record !== null && (record.usable || cause === null)) await request.store.put(key, record)
  return { key, cached: false, attempts, durationMs: request.clock.now() - started, record, cause }
}

interface Tries {
  readonly best: StageResult | null
  readonly attempts: number
  readonly costUsd: number
  readonly cause: unknown
}

async function tryStage(stage: Stage, draft: Environment, request: SynthesisRequest): Promise<Tries> {
  const { pipeline, config, clock, signal, log = () => undefined } = request
  const most = stage.repeats ? config.synthesis.maxAttempts : 1
  let best: StageResult | null = null
  let cause: unknown = null
  let costUsd = 0
  let feedback: string | null = null
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted()
    const context = {
      random: RandomStream.of(draft.seed, stage.name, draft.id, attempt),
      signal,
      log,
      spend: (usd: number) => {
        costUsd += usd
      },
      scenario: draft.scenario,
      seed: draft.seed,
      attempt,
      feedback,
    }
    const result = await caught(
      () => stage.run(draft, { pipeline, settings: config.synthesis, clock, context }),
      signal,
    )
    if ('thrown' in result) cause = result.thrown
    else best = betterOf(best, result)
    const accepted = !('thrown' in result) && result.usable && result.errorShare <= stage.acceptedErrorShare
    const stalled = isRlenvError(cause) && cause.code === 'RLENV_PLUGIN_STALLED'
    if (accepted || stalled || attempt >= most) return { best, attempts: attempt, costUsd, cause }
    feedback = feedbackText(attempt, 'thrown' in result ? [messageOf(result.thrown)] : result.errors)
  }
}

/** A plugin's exception is one more thing that went wrong; the next try is told. */
async function caught(
  run: () => Promise<StageResult>,
  signal: AbortSignal,
): Promise<StageResult | { readonly thrown: unknown }> {
  try {
    return await run()
  } catch (thrown) {
    signal.throwIfAborted()
    if (isFatal(thrown)) throw thrown
    return { thrown }
  }
}

function betterOf(best: StageResult | null, next: StageResult): StageResult {
  if (best === null || (next.usable && !best.usable)) return next
  return next.usable === best.usable && next.errorShare < best.errorShare ? next : best
}
