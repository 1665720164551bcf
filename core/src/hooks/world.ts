import type { Cell } from '../vocabulary/database.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { Json } from '../vocabulary/json.ts'
import type { StateDiff } from '../vocabulary/state-diff.ts'
import type { GoldRun, QueryRows, ToolCall } from '../vocabulary/task.ts'
import type { ToolDefinition, ToolResult } from '../vocabulary/tool.ts'

/** Read-only view of one state of a world's database; for verifiers, never for agents. */
export interface StateReader {
  /** Names of the tables, sorted. */
  readonly tables: readonly string[]
  /** All rows of a table in primary-key order. @throws {RlenvError} RLENV_DATABASE_INVALID for an unknown table. */
  rows(table: string): QueryRows
  /**
   * One SELECT with `@name` parameters.
   *
   * @throws {RlenvError} RLENV_DATABASE_INVALID when it does not only read; RLENV_STATE_TOO_LARGE when calls have left more
   *   rows than it can be asked about.
   */
  query(sql: string, parameters?: Readonly<Record<string, Cell>>): QueryRows
}

/** A tool call's result with the rows it changed. */
export interface CallOutcome {
  readonly result: ToolResult
  readonly diff: StateDiff
}

/** One rollout's private copy of an environment. Single-use: closed when its rollout has been judged. */
export interface WorldInstance {
  /** The direct surface: every tool of the environment. */
  readonly tools: readonly ToolDefinition[]
  /** Carries a call out. Never rejects for anything a policy can cause: that is an error result. */
  call(name: string, args: Json, signal: AbortSignal): CallOutcome | Promise<CallOutcome>
  /** States for the verifier; null when this kind of world has no state to show. */
  capture(): CapturedState | null | Promise<CapturedState | null>
  close(): void | Promise<void>
}

/** What happened to a world, as its verifier sees it. Valid until the instance is closed. */
export interface CapturedState {
  readonly initial: StateReader
  readonly final: StateReader
  readonly diff: StateDiff
}

/** What an instance is opened from. */
export interface WorldRequest {
  readonly environment: Environment
  /** Equal seeds give equal worlds. */
  readonly seed: number
}

/** Opens instances of environments. Fills the slot `world`. */
export interface World {
  readonly name: string
  open(request: WorldRequest, signal: AbortSignal): WorldInstance | Promise<WorldInstance>
  /**
   * The environments of a world that is not made from databases, such as one of servers. Where it is there, they are the
   * run's environments and nothing is synthesised.
   */
  environments?(signal: AbortSignal): Promise<readonly Environment[]>
  /** Loads what the instances of this environment share, ahead of the first one. A failure shows when one is opened. */
  prepare?(environment: Environment): void | Promise<void>
  /** Frees what instances share. */
  close(): void | Promise<void>
}

/** A draft environment that stages of synthesis can run things in. */
export interface DraftWorld {
  /** A fresh instance; the caller closes it. */
  open(): WorldInstance & { query(sql: string, parameters?: Readonly<Record<string, Cell>>): QueryRows }
  /** Carries calls out on a fresh instance; frozen ones once, for they come to the same each time. */
  run(calls: readonly ToolCall[], answer: Json): GoldRun
}
