import { z } from 'zod'
import { RandomStream } from '../../determinism/random-stream.ts'
import { isRlenvError, messageOf } from '../../errors/rlenv-error.ts'
import type { StateReader } from '../../hooks/world.ts'
import { cellSchema } from '../../vocabulary/database.ts'
import { type Json, jsonSchema } from '../../vocabulary/json.ts'
import type { Evidence } from '../../vocabulary/outcome.ts'
import type { StateDiff } from '../../vocabulary/state-diff.ts'
import { loadSandbox } from './quickjs-module.ts'
import { defaultScriptLimits, type ScriptLimits, type ScriptOutcome, ScriptRuntime } from './script-runtime.ts'

export interface VerifierScript {
  /** Path inside the bundle, for messages. */
  readonly file: string
  /** TypeScript with a default export: a function of {@link VerifierScriptInput} that returns its evidence. */
  readonly source: string
}

/** What a verifier script is called with; the readers arrive as objects with `tables`, `rows(table)` and `query(sql, parameters)`. */
export interface VerifierScriptInput {
  readonly initial: StateReader
  readonly final: StateReader
  readonly diff: StateDiff
  readonly answer: Json
  readonly calls: Json
}

export interface VerifierScriptOptions {
  /** The instant that `Date` answers, ISO 8601 UTC. */
  readonly clock: string
  readonly limits?: Partial<ScriptLimits>
}

export type VerifierScriptResult =
  | { readonly kind: 'evidence'; readonly passed: boolean; readonly checks: readonly Evidence[] }
  | { readonly kind: 'error'; readonly message: string; readonly stack: string }
  | { readonly kind: 'timeout'; readonly message: string }

/** A verifier may take longer than a tool. */
const verifierDeadlineMs = 2_000

const evidenceSchema = z.object({
  passed: z.boolean(),
  checks: z.array(
    z.object({
      name: z.string(),
      passed: z.boolean(),
      expected: z.exactOptional(jsonSchema),
      actual: z.exactOptional(jsonSchema),
      note: z.exactOptional(z.string()),
    }),
  ),
})

const requestSchema = z.tuple([
  z.enum(['all', 'get', 'run', 'rows']),
  z.enum(['initial', 'final', 'db']),
  z.string(),
  z.record(z.string(), cellSchema),
])

/** Answers a verifier's requests from its two states; it can only read. */
function answerFrom(states: { readonly initial: StateReader; readonly final: StateReader }, request: string): string {
  try {
    const [kind, name, text, parameters] = requestSchema.parse(JSON.parse(request))
    if (name === 'db' || kind === 'run') throw new Error('a verifier cannot write')
    const state = states[name]
    return JSON.stringify({ value: kind === 'rows' ? state.rows(text) : state.query(text, parameters) })
  } catch (thrown) {
    const code = isRlenvError(thrown) ? 'invalid_query' : 'refused'
    return JSON.stringify({ error: { code, message: messageOf(thrown) } })
  }
}

function resultOf(outcome: ScriptOutcome, file: string): VerifierScriptResult {
  if (outcome.kind === 'timeout') return { kind: 'timeout', message: `${file}: ${outcome.message}` }
  if (outcome.kind === 'error') return { kind: 'error', message: `${file}: ${outcome.message}`, stack: outcome.stack }
  const evidence = evidenceSchema.safeParse(outcome.value)
  if (evidence.success) return { kind: 'evidence', passed: evidence.data.passed, checks: evidence.data.checks }
  const issues = evidence.error.issues.map((issue) => `${issue.path.join('.') || 'it'}: ${issue.message}`).join('; ')
  return { kind: 'error', message: `${file} returned no evidence: ${issues}`, stack: '' }
}

/**
 * Runs a verifier script in a sandbox of its own. A script that does not compile or throws is an error, one that does not
 * end is a timeout; neither is ever a verdict.
 */
export async function runVerifierScript(
  { file, source }: VerifierScript,
  { initial, final, diff, answer, calls }: VerifierScriptInput,
  { clock, limits }: VerifierScriptOptions,
): Promise<VerifierScriptResult> {
  await loadSandbox()
  const runtime = new ScriptRuntime(clock, { ...defaultScriptLimits, deadlineMs: verifierDeadlineMs, ...limits })
  try {
    const input = { tables: final.tables, diff, answer, calls } as unknown as Json
    const outcome = runtime.call({
      file,
      source,
      role: 'verifier',
      input,
      random: () => RandomStream.of(0, 'verifier', file).state(),
      answer: (request) => answerFrom({ initial, final }, request),
    })
    return resultOf(outcome, file)
  } finally {
    runtime.dispose()
  }
}
