import type { Json, ToolCall } from 'rlenv'

export const goalKinds = [
  'status',
  'adjust',
  'assign',
  'transfer',
  'update',
  'create',
  'delete',
  'ask',
  'count',
] as const

/** What a user wants done. */
export type GoalKind = (typeof goalKinds)[number]

/** One thing to do, in words and in calls. */
export interface Goal {
  readonly kind: GoalKind
  /** An imperative clause, or a question with its mark, starting in lower case unless with a name. */
  readonly text: string
  readonly question: boolean
  readonly calls: readonly ToolCall[]
  /** What the user is told in the end; null for a goal that only changes something. */
  readonly answer: Json
  /** Depth of its deepest reference. */
  readonly depth: number
  /** Entities whose rows it changes. */
  readonly writes: readonly string[]
  /** Entities whose values, other than names, it relies on. */
  readonly reads: readonly string[]
}
