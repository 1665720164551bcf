import type { Episode } from '../transcript/episode.ts'
import type { ToolView } from '../transcript/tool-view.ts'

/** What names are there to look up with a tool. */
const labelStatus = { takesNone: 0, openHere: 1, openElsewhere: 2, none: 3, allTried: 4 } as const

/** Whether a look-up tool still has a name to look up: one of the active goal, one of another, none, or all tried. */
export function labelStatusOf(episode: Episode, tool: ToolView): number {
  if (!tool.lookUp) return labelStatus.takesNone
  let status: number = labelStatus.none
  for (const span of episode.view.text.spans) {
    if (!span.label || episode.resolved[span.index] === 1) continue
    if (episode.triedSpan(tool.index, span.index)) {
      if (status === labelStatus.none) status = labelStatus.allTried
    } else if (span.goal === episode.activeGoal) return labelStatus.openHere
    else status = labelStatus.openElsewhere
  }
  return status
}

/** Names of the active goal that no look-up has found yet. */
export function openLabels(episode: Episode): number[] {
  const { text } = episode.view
  const spans = text.goals[episode.activeGoal]?.spans ?? []
  return spans.filter((span) => text.spans[span]?.label === true && episode.resolved[span] === 0)
}

/** Values (no names, no free words) of the active goal that no write has used yet. */
export function openValues(episode: Episode): number[] {
  const { text } = episode.view
  const spans = text.goals[episode.activeGoal]?.spans ?? []
  return spans.filter((index) => {
    const span = text.spans[index]
    return span !== undefined && !span.label && span.kind !== 'word' && episode.written[index] === 0
  })
}
