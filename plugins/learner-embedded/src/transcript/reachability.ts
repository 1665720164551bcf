import type { Episode } from './episode.ts'
import { keyMatch } from './key-match.ts'
import type { ToolView } from './tool-view.ts'

/** Whether the ids that a tool needs have been seen. */
export const idStatus = { unneeded: 0, missing: 1, otherGoal: 2, ready: 3 } as const

/** Distance of a tool that does not help towards the intent. */
export const unreachable = 5

/** What can be called now, worked out once per turn. */
export interface Reachability {
  /** Shape [tools], of {@link idStatus}. */
  readonly status: Uint8Array
  /** Per tool and id parameter (by its position among them): 0 none seen, 1 of another goal, 2 of the active goal. */
  readonly seen: readonly Uint8Array[]
}

export function reachabilityOf(episode: Episode): Reachability {
  const { catalogue } = episode.view
  const signatures = seenSignatures(episode)
  const seen = catalogue.tools.map((tool) => seenIds(episode, tool, signatures))
  const status = Uint8Array.from(catalogue.tools, (tool) => statusOf(tool, seen[tool.index] as Uint8Array))
  return { status, seen }
}

/** Key names of the rows seen so far: 1 in rows of other goals only, 2 in a row of the active goal. */
function seenSignatures(episode: Episode): Map<number, number> {
  const active = 1 << episode.activeGoal
  const signatures = new Map<number, number>()
  for (const id of episode.ids) {
    const level = ((episode.rows[id.row]?.goals ?? 0) & active) === 0 ? 1 : 2
    if (level > (signatures.get(id.signature) ?? 0)) signatures.set(id.signature, level)
  }
  return signatures
}

function seenIds(episode: Episode, tool: ToolView, signatures: ReadonlyMap<number, number>): Uint8Array {
  return Uint8Array.from(tool.idParameters, (position) => {
    let best = 0
    for (const [signature, level] of signatures) {
      if (level > best && episode.view.keys.matchOf(signature, tool, position) >= keyMatch.noun) best = level
    }
    return best
  })
}

function statusOf(tool: ToolView, seen: Uint8Array): number {
  let status: number = idStatus.unneeded
  for (let i = 0; i < seen.length; i++) {
    if (tool.parameters[tool.idParameters[i] as number]?.required === false) continue
    if (seen[i] === 0) return idStatus.missing
    const level = seen[i] === 2 ? idStatus.ready : idStatus.otherGoal
    status = status === idStatus.unneeded ? level : Math.min(status, level)
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
  const { tools, producers } = episode.view.catalogue
  const distances = new Uint8Array(tools.length).fill(unreachable)
  distances[intent] = 0
  let frontier = [intent]
  for (let distance = 1; distance < unreachable && frontier.length > 0; distance++) {
    const next: number[] = []
    for (const tool of frontier) {
      for (const [i, makers] of (producers[tool] ?? []).entries()) {
        if ((reach.seen[tool]?.[i] ?? 0) >= least) continue
        for (const maker of makers) {
          if (distances[maker] !== unreachable) continue
          distances[maker] = distance
          next.push(maker)
        }
      }
    }
    frontier = next
  }
  return distances
}
