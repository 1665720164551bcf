import type { RandomState } from '../../determinism/random-stream.ts'
import type { ErrorCode } from '../../errors/error-codes.ts'
import type { Draw, PolicyResponse, PolicySnapshot, RolloutLimits, SamplingParams } from '../../hooks/roles.ts'
import type { RunEvent } from '../../telemetry/run-event.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import type { JsonObject } from '../../vocabulary/json.ts'
import type { Message } from '../../vocabulary/message.ts'
import type { ToolDefinition } from '../../vocabulary/tool.ts'
import type { JudgedTrajectory } from '../../vocabulary/trajectory.ts'
import type { SectionLimits } from './hang-detector.ts'

/** What a shard is told first. */
export interface ShardSetup {
  readonly kind: 'setup'
  /** For people, from 1. */
  readonly number: number
  readonly recipe: JsonObject
  /** The run's. */
  readonly seed: number
  readonly limits: RolloutLimits
  readonly verifierTimeoutMs: number
  readonly progressDeadlineMs: number
  readonly sectionLimits: SectionLimits
  /** Memory that the orchestrator reads; null where none can be shared, and a guard inside the shard reads it. */
  readonly marks: SharedArrayBuffer | null
  /** MiB that a process may hold before its guard ends it. */
  readonly memoryMib: number
}

/** Who samples: the shard's own copy of the policy, or the orchestrator's, which is asked. */
export type SampledBy =
  | { readonly kind: 'own'; readonly id: number }
  | { readonly kind: 'served'; readonly name: string; readonly policyVersion: number }

/** An attempt, without the environment, which the shard has already. */
export interface PlayMessage {
  readonly kind: 'play'
  /** Names the attempt in later messages; above 0. */
  readonly slot: number
  readonly draw: Draw
  readonly rolloutIndex: number
  readonly attempt: number
  readonly sampling: SamplingParams
  readonly policy: SampledBy
}

export interface SampledMessage {
  readonly kind: 'sampled'
  readonly slot: number
  readonly call: number
  readonly answer:
    | {
        readonly ok: true
        readonly response: PolicyResponse
        readonly policyVersion: number
        readonly random: RandomState
      }
    | { readonly ok: false; readonly error: ThrownError }
}

/** From the orchestrator to a shard. Carried out in order. */
export type ToShard =
  | ShardSetup
  | { readonly kind: 'environment'; readonly environment: Environment }
  | { readonly kind: 'prepare'; readonly environmentId: string }
  /** `name`: of the policy, which the shard's own must have as well. */
  | ({ readonly kind: 'weights'; readonly id: number; readonly name: string } & PolicySnapshot)
  | PlayMessage
  | SampledMessage
  | { readonly kind: 'cancel'; readonly slot: number }
  | { readonly kind: 'stop' }

/** One question of a shard to the orchestrator's policy. What was sent before is named by number. */
export interface SampleMessage {
  readonly kind: 'sample'
  readonly slot: number
  readonly call: number
  readonly messages: { readonly id: number; readonly from: number; readonly added: readonly Message[] }
  readonly tools: { readonly id: number; readonly list: readonly ToolDefinition[] | null }
  readonly random: { readonly id: number; readonly key: string; readonly state: RandomState }
  readonly role: string
  readonly sampling: SamplingParams
}

/** From a shard to the orchestrator. */
export type FromShard =
  /** `plugins`: hash of the pipeline's report. */
  | { readonly kind: 'ready'; readonly plugins: string }
  | { readonly kind: 'failed'; readonly error: ThrownError }
  | { readonly kind: 'ended'; readonly slot: number; readonly judged: JudgedTrajectory }
  | { readonly kind: 'threw'; readonly slot: number; readonly error: ThrownError }
  | { readonly kind: 'event'; readonly event: RunEvent }
  | { readonly kind: 'log'; readonly plugin: string; readonly message: string }
  | { readonly kind: 'offered'; readonly tools: readonly ToolDefinition[] }
  | SampleMessage

/** An error on its way between threads. */
export interface ThrownError {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  /** For errors that rlenv throws on purpose. */
  readonly code: ErrorCode | undefined
  readonly fix: string | undefined
  readonly plugin: string | undefined
  readonly hook: string | undefined
}
