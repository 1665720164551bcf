import type { Episode } from './episode.ts'
import type { ToolView } from './tool-view.ts'

/** Whether the ids that a tool needs have been seen. */
const idStatus = { unneeded: 0, missing: 1, otherGoal: 2, ready: 3 } as const

/** Distance of a tool that does not help towards the intent. */
const unreachable = 5

/** What can be called now, worked out once per turn. */
export interface Reachability {
  /** Shape [tools], of {@link idStatus}. */
  readonly status: Uint8Array
  /** Shape [id parameters of all tools]: 0 no such id seen, 1 of another goal, 2 of the active goal. */
  readonly seen: Uint8Array
}

export function reachabilityOf(episode: Episode): Reachability {
  const { catalogue, keys } = episode.view
  const seen = new Uint8Array(keys.parameters)
  const active = 1 << episode.activeGoal
  for (const [signature, goals] of episode.goalsBySignature) {
    const level = (goals & active) === 0 ? 1 : 2
    for (const parameter of keys.fittingParameters(signature)) {
      if ((seen[parameter] as number) < level) seen[parameter] = level
    }
  }
  const status = new Uint8Array(catalogue.tools.length)
  for (const tool of catalogue.tools) status[tool.index] = statusOf(tool, seen, keys.firsts[tool.index] as number)
  return { status, seen }
}

function statusOf(tool: ToolView, seen: Uint8Array, first: number): number {
  let status: number = idStatus.unneeded
  for (let i = 0; i < tool.idParameters.length; i++) {
    if (tool.parameters[tool.idParameters[i] as number]?.required === false) continue
    const level = seen[first + i] as number
    if (level === 0) return idStatus.missing
    const reached = level === 2 ? idStatus.ready : idStatus.otherGoal
    status = status === idStatus.unneeded ? reached : Math.min(status, reached)
  }
  return status
}

/**
 * Shape [tools]: how many calls lie between a tool and the intent, going from missing ids to the reads that return them.
 * 0 is the intent itself, {@link unreachable} a tool that does not help.
 *
 * @param least - 2 counts only ids of the active goal as seen, 1 those of any goal.
 */
export function distancesTo(intent: number, episode: Episode, reach: Reachability, least: number): Uint8Array {
  const distances = new Uint8Array(episode.view.catalogue.tools.length).fill(unreachable)
  distances[intent] = 0
  let frontier = [intent]
  for (let distance = 1; distance < unreachable && frontier.length > 0; distance++) {
    const reached: number[] = []
    for (const maker of frontier.flatMap((tool) => missingMakers(tool, episode, reach, least))) {
      if (distances[maker] !== unreachable) continue
      distances[maker] = distance
      reached.push(maker)
    }
    frontier = reached
  }
  return distances
}

/** Reads that return the ids which a tool still lacks. */
function missingMakers(tool: number, episode: Episode, reach: Reachability, least: number): readonly number[] {
  const { catalogue, keys } = episode.view
  const first = keys.firsts[tool] as number
  const makers = catalogue.producers[tool]
  if (makers === undefined || makers.length === 0) return nobody
  if (makers.length === 1) return (reach.seen[first] as number) < least ? (makers[0] ?? nobody) : nobody
  return makers.flatMap((of, i) => ((reach.seen[first + i] as number) < least ? of : nobody))
}

const nobody: readonly number[] = []
