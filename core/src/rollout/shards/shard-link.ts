import type { Hang, SectionLimits } from './hang-detector.ts'
import type { Mark } from './shard-marks.ts'
import type { FromShard, ShardSetup, ToShard } from './shard-messages.ts'

/** How a thread or process ended that nobody had asked to. */
export interface LinkEnd {
  /** For people: "it was ended by SIGKILL". */
  readonly why: string
  /** Whose code it was in; null when that is not known. */
  readonly mark: Mark | null
}

/** What is watched over, and what else the thread or process is told first. */
export interface LinkSetup {
  readonly sectionLimits: SectionLimits
  /** MiB that a process may hold before its guard ends it. */
  readonly memoryMib: number
  readonly limits: { readonly toolTimeoutMs: number }
}

/** What a link hears. */
export interface LinkListener<From = FromShard> {
  message(message: From): void
  /** A call is taking long; it may yet come back. */
  slow(): void
  hung(hang: Hang): void
  ended(end: LinkEnd): void
}

/** A thread or process as the orchestrator holds it. */
export interface ShardLink<To = ToShard> {
  post(message: To): void
  /** While it is idle it does not keep the orchestrator's process from ending. */
  setBusy(busy: boolean): void
  /** Ends it by force; false when it is still running after a second. */
  kill(): Promise<boolean>
  /** Settles when it has ended. */
  readonly over: Promise<void>
}

/** Starts one. */
export type OpenLink = (module: string, setup: Omit<ShardSetup, 'kind' | 'marks'>, listener: LinkListener) => ShardLink

/** Milliseconds between two looks at a shard's marks. */
export const lookEveryMs = 20
