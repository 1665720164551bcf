import { type Flight, type FlightState, stateWords } from './flight.ts'
import type { QueueCounts } from './group-queue.ts'

/** One node of a graph of who waits for whom. */
export interface WaitNode {
  readonly text: string
  readonly parts?: readonly WaitNode[]
}

/** Most names that one line gives. */
const mostNamed = 3

/** Rollouts in flight by whom they wait for, those that have waited longest first, each kind with its oldest. */
export function flightNode(flights: Iterable<Flight>, now: number): WaitNode {
  const all = [...flights].sort((a, b) => a.since - b.since)
  const kinds = [...new Set(all.map(({ state }) => state))]
  const parts = kinds.map((state) =>
    stateNode(
      state,
      all.filter((flight) => flight.state === state),
      now,
    ),
  )
  return { text: `${count(all.length, 'rollout')} in flight`, parts }
}

/** @param flights - longest waiting first. */
function stateNode(state: FlightState, flights: readonly Flight[], now: number): WaitNode {
  const [oldest] = flights
  const counts = new Map<string, number>()
  for (const { target } of flights) counts.set(target, (counts.get(target) ?? 0) + 1)
  const named = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  const shown = named.slice(0, mostNamed).map(([name, number]) => (named.length === 1 ? name : `${name} (${number})`))
  const more = named.length > mostNamed ? ` and ${named.length - mostNamed} more` : ''
  const verb = flights.length === 1 ? 'waits' : 'wait'
  return {
    text: `${flights.length} ${verb} for ${stateWords[state]} ${shown.join(', ')}${more}`,
    parts: oldest === undefined ? [] : [{ text: `longest: ${oldest.label} for ${seconds(now - oldest.since)}` }],
  }
}

/**
 * What a collection has begun and what not.
 *
 * @param oldest - the draw that is taken next.
 * @param launching - rollouts that were handed out and wait for others to let them start.
 */
export function queueNode(
  { open, finished, notBegun, isFull }: QueueCounts,
  oldest: string,
  launching: number,
): WaitNode {
  const behind = finished === 0 ? '' : `, ${finished} of them finished and behind ${oldest}`
  const held = isFull ? `, none before ${oldest} ends` : ''
  const starting = launching === 0 ? '' : `, ${launching} at their start`
  return { text: `${count(open, 'group')} begun${behind}; ${count(notBegun, 'rollout')} not begun${held}${starting}` }
}

/** The nodes as lines with the branches of a tree in front. */
export function waitLines(nodes: readonly WaitNode[]): readonly string[] {
  return nodes.flatMap(({ text, parts = [] }, index) => {
    const isLast = index === nodes.length - 1
    const below = waitLines(parts).map((line) => `${isLast ? '  ' : '│ '}${line}`)
    return [`${isLast ? '└ ' : '├ '}${text}`, ...below]
  })
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

/** @param ms - a duration in milliseconds. */
const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`
