import type { Environment } from '../../vocabulary/environment.ts'
import type { JsonObject } from '../../vocabulary/json.ts'
import type { Verdict } from '../../vocabulary/outcome.ts'
import type { Task } from '../../vocabulary/task.ts'
import type { ToolDefinition } from '../../vocabulary/tool.ts'
import type { SessionCall } from '../session-record.ts'
import type { Action } from './action.ts'
import type { FieldError } from './field-error.ts'
import type { ScenarioCatalog } from './scenario-catalog.ts'
import type { Fault, Reply } from './server-frame.ts'

/** One episode, as its client asked for it. */
export interface EpisodePlan {
  readonly environment: Environment
  /** Null when the client brought its own task, or none: then nothing can be verified. */
  readonly task: Task | null
  readonly taskIndex: number | null
  /** What the agent is to do. */
  readonly instruction: string | null
  /** Of the world; undefined = the environment's own. */
  readonly seed: number | undefined
  /** Undefined = the server makes one up. */
  readonly episodeId: string | undefined
  /** Rewards by what a step came to, in the AWM dialect. */
  readonly rewards: Readonly<Record<string, number>>
}

export type ResetReading =
  | { readonly kind: 'plan'; readonly plan: EpisodePlan }
  | { readonly kind: 'refused'; readonly answer: Reply | Fault }

/** An action that needs an episode. */
export type EpisodeAction = Exclude<Action, { kind: 'scenarios' }>

/** How one family of OpenEnv's clients asks and wants to be answered. Pure: all state is the session's. */
export interface Dialect {
  readonly name: 'generic' | 'awm'
  /** A step before the first reset opens the episode that a reset without parameters would. */
  readonly opensByItself: boolean
  /** Why `POST /reset` and `POST /step` are refused; null when they are not. */
  readonly httpRefusal: JsonObject | null
  /** JSON Schemas for `GET /schema`. */
  readonly schemas: { readonly action: JsonObject; readonly observation: JsonObject }
  readReset(data: JsonObject, catalog: ScenarioCatalog): ResetReading
  readAction(data: JsonObject): Action | readonly FieldError[]
  opened(plan: EpisodePlan, toolCount: number): Reply
  /** The world could not be opened. */
  notOpened(why: string): Reply | Fault
  listed(tools: readonly ToolDefinition[]): Reply
  called(call: SessionCall, plan: EpisodePlan): Reply
  /** Why a verifier is not even asked; null when it is. */
  unverifiable(action: Action & { readonly kind: 'verify' }, plan: EpisodePlan): Reply | null
  verified(verdict: Verdict, plan: EpisodePlan, stepCount: number): Reply
  ended(plan: EpisodePlan, stepCount: number): Reply
  scenarios(catalog: ScenarioCatalog): Reply
  /** A step without an episode. */
  unopened(action: EpisodeAction): Reply
  /** A step after the end of the episode. */
  over(action: Action): Reply
}
