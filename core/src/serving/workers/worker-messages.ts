import type { CallOutcome } from '../../hooks/world.ts'
import type { LinkSetup } from '../../rollout/shards/shard-link.ts'
import type { ThrownError } from '../../rollout/shards/shard-messages.ts'
import type { Cell } from '../../vocabulary/database.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import type { Json, JsonObject } from '../../vocabulary/json.ts'
import type { Verdict } from '../../vocabulary/outcome.ts'
import type { StateDiff } from '../../vocabulary/state-diff.ts'
import type { QueryRows } from '../../vocabulary/task.ts'
import type { ToolDefinition } from '../../vocabulary/tool.ts'
import type { SessionCall } from '../session-record.ts'

/** What a worker is started with. */
export interface WorkerSetup extends LinkSetup {
  /** Of the pipeline. */
  readonly recipe: JsonObject
  /** Number that the verifiers' random streams descend from. */
  readonly seed: number
  readonly verifierTimeoutMs: number
}

/** What a worker is asked about one world, by kind. */
export interface Questions {
  readonly open: { readonly environmentId: string; readonly seed: number }
  readonly call: { readonly name: string; readonly args: Json }
  readonly capture: null
  readonly read: ReadQuestion
  readonly verify: VerifyQuestion
  readonly close: null
}

export interface VerifyQuestion {
  readonly taskId: string
  readonly seed: number
  readonly calls: readonly SessionCall[]
  readonly answer: string | null
}

/** About one of the two states that were captured last. */
export type ReadQuestion = { readonly of: 'initial' | 'final' } & (
  | { readonly table: string }
  | { readonly sql: string; readonly parameters: Readonly<Record<string, Cell>> }
)

/** What it answers. */
export interface Answers {
  readonly open: OfferedTools
  readonly call: CallOutcome
  readonly capture: CapturedTables | null
  readonly read: QueryRows
  readonly verify: Verdict
  readonly close: null
}

/** A state that was captured: names of tables, whose rows are asked for one by one, and what changed. */
export interface CapturedTables {
  readonly initial: readonly string[]
  readonly final: readonly string[]
  readonly diff: StateDiff
}

/** The number of a list of tools, with the list itself when it is new. */
export interface OfferedTools {
  readonly id: number
  readonly list: readonly ToolDefinition[] | null
}

export type QuestionKind = keyof Questions

type AskOf<Kind extends QuestionKind> = {
  readonly kind: 'ask'
  /** Names the question in its answer. */
  readonly ask: number
  /** Names the world; above 0. */
  readonly world: number
  readonly about: Kind
  readonly question: Questions[Kind]
}

/** One question. */
export type Ask = { [Kind in QuestionKind]: AskOf<Kind> }[QuestionKind]

/** From the server to a worker. Questions about one world are carried out as they come, without waiting for each other. */
export type ToWorker =
  | ({ readonly kind: 'setup' } & WorkerSetup)
  | { readonly kind: 'environment'; readonly environment: Environment }
  | Ask
  /** Nobody waits any more for what goes on in this world. */
  | { readonly kind: 'cancel'; readonly world: number }
  | { readonly kind: 'stop' }

/** From a worker to the server. */
export type FromWorker =
  /** `plugins`: hash of the pipeline's report. */
  | { readonly kind: 'ready'; readonly plugins: string }
  | { readonly kind: 'failed'; readonly error: ThrownError }
  | { readonly kind: 'answer'; readonly ask: number; readonly answer: Answers[QuestionKind] }
  | { readonly kind: 'threw'; readonly ask: number; readonly error: ThrownError }
  | { readonly kind: 'log'; readonly plugin: string; readonly message: string }
