import type { Episode } from '../transcript/episode.ts'
import type { Reachability } from '../transcript/reachability.ts'
import { exhaustionOf } from './exhaustion.ts'
import { labelStatusOf } from './label-status.ts'

/** What more than one decision of a turn asks of every tool. */
export interface ToolStandings extends Reachability {
  /** Shape [tools]: whether there is an id that the tool has not been called with. */
  readonly exhaustion: Uint8Array
  /** Shape [tools]: what names are there to look up with it. */
  readonly labels: Uint8Array
}

export function toolStandings(episode: Episode, reach: Reachability): ToolStandings {
  const { tools } = episode.view.catalogue
  const exhaustion = new Uint8Array(tools.length)
  const labels = new Uint8Array(tools.length)
  for (const tool of tools) {
    exhaustion[tool.index] = exhaustionOf(tool, episode, reach)
    labels[tool.index] = labelStatusOf(episode, tool)
  }
  return { status: reach.status, seen: reach.seen, exhaustion, labels }
}
