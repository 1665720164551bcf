import type { Episode, SeenId } from '../transcript/episode.ts'
import { keyMatch } from '../transcript/key-match.ts'
import type { Reachability } from '../transcript/reachability.ts'
import type { ToolView } from '../transcript/tool-view.ts'

/** Whether there is an id that a tool has not been called with. */
const exhaustion = { takesNone: 0, noneSeen: 1, allUsed: 2, someFresh: 3 } as const

/** Looks at the tool's first id parameter. */
export function exhaustionOf(tool: ToolView, episode: Episode, reach: Reachability): number {
  if (tool.idParameters.length === 0) return exhaustion.takesNone
  const { keys } = episode.view
  if (reach.seen[keys.firsts[tool.index] as number] === 0) return exhaustion.noneSeen
  for (let at = episode.ids.length - 1; at >= 0; at--) {
    const id = episode.ids[at] as SeenId
    const matches = keys.matchOf(id.signature, tool.index, 0) >= keyMatch.noun
    if (matches && !episode.usedId(tool.index, id.number)) return exhaustion.someFresh
  }
  return exhaustion.allUsed
}
