import type { Hang, SectionLimits } from './hang-detector.ts'
import type { Mark } from './shard-marks.ts'

/** What a guard thread is started with. */
export interface GuardOrders {
  readonly marks: SharedArrayBuffer
  readonly sectionLimits: SectionLimits
  readonly memoryMib: number
  /** The orchestrator's process. */
  readonly parentPid: number
  /** The pipe that notes go into. */
  readonly fd: number
}

/** One line that a process's guard writes for the orchestrator, as JSON. */
export type GuardNote =
  /** It has been in this section for a while; the first one that stays behind tells what a crash was in. */
  | { readonly kind: 'within'; readonly mark: Mark }
  | { readonly kind: 'slow' }
  /** Nothing else, once a second: a process that was stopped as a whole says nothing at all. */
  | { readonly kind: 'alive' }
  | ({ readonly kind: 'hung' } & Hang)
  /** More memory than it may have; it is ended at once. */
  | { readonly kind: 'memory'; readonly mark: Mark }

/** Position of the guard's pipe among a shard process's file descriptors: after stdin, stdout, stderr and the channel. */
export const guardFd = 4

/** Milliseconds between two signs of life. */
export const aliveEveryMs = 1_000
