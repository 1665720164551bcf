import type { Row } from '../vocabulary/database.ts'
import type { RowChange, StateDiff } from '../vocabulary/state-diff.ts'

/** A diff as trajectories keep it. */
export interface BoundedDiff {
  readonly diff: StateDiff
  readonly omittedChanges?: number
}

/** Most rows, and most characters of JSON, of one diff in a trajectory. */
const mostChanges = 200
const mostChars = 65_536

/** JSON takes at most so many characters for one of a text, and for everything else of a cell. */
const perChar = 6
const perCell = 64

function mostRowChars(row: Row): number {
  let chars = perCell
  for (const name in row) {
    const cell = row[name]
    const text = typeof cell === 'object' && cell !== null ? ('$blob' in cell ? cell.$blob : cell.$int64) : cell
    chars += perCell + perChar * (name.length + (typeof text === 'string' ? text.length : 0))
  }
  return chars
}

/** At least as many characters as the JSON of a change has, in a fraction of the time that writing it takes. */
function mostCharsOf(change: RowChange): number {
  const before = change.kind === 'insert' ? 0 : mostRowChars(change.before)
  const after = change.kind === 'delete' ? 0 : mostRowChars(change.after)
  return perCell + perChar * change.table.length + mostRowChars(change.key) + before + after
}

/** How many changes from the first on may stay. */
function fitting(diff: StateDiff): number {
  const most = Math.min(diff.length, mostChanges)
  let chars = 0
  for (let i = 0; i < most; i++) chars += mostCharsOf(diff[i] as RowChange)
  if (chars <= mostChars) return most
  chars = 0
  for (let i = 0; i < most; i++) {
    chars += JSON.stringify(diff[i]).length + 1
    if (chars > mostChars) return i
  }
  return most
}

/**
 * The first 200 rows of a diff, or as many as have at most 65,536 characters of JSON, with the number of those that were
 * left out. A call may change every row of a world; verifiers judge on the state itself.
 *
 * @param omitted - rows that were left out before.
 */
export function boundedDiff(diff: StateDiff, omitted = 0): BoundedDiff {
  const kept = fitting(diff)
  const omittedChanges = omitted + diff.length - kept
  return omittedChanges === 0 ? { diff } : { diff: diff.slice(0, kept), omittedChanges }
}

/** How many rows a diff had before it was bounded. */
export function changedRows({ diff, omittedChanges = 0 }: BoundedDiff): number {
  return diff.length + omittedChanges
}
