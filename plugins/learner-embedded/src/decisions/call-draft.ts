import type { Json } from 'rlenv'
import type { Episode } from '../transcript/episode.ts'
import type { ToolView } from '../transcript/tool-view.ts'

/** A call under construction. */
export interface CallDraft {
  readonly tool: ToolView
  readonly isIntent: boolean
  readonly arguments: Record<string, Json>
  /** Numbers of the id values chosen so far. */
  readonly ids: number[]
  /** Rows whose ids were chosen. */
  readonly rows: number[]
  /** Spans chosen so far. */
  readonly spans: number[]
  /** How many value parameters were given something. */
  supplied: number
}

export function draftCall(episode: Episode, tool: number, intent: number): CallDraft {
  const view = episode.view.catalogue.tools[tool] as ToolView
  return { tool: view, isIntent: tool === intent, arguments: {}, ids: [], rows: [], spans: [], supplied: 0 }
}

/** What choosing a candidate of an argument does to the call; undefined leaves the argument out. */
export interface ArgumentChoice {
  readonly value: Json | undefined
  /** Span that the value was read from, or −1. */
  readonly span: number
  /** Position in the episode's ids, or −1. */
  readonly id: number
}

export function applyChoice(draft: CallDraft, episode: Episode, parameter: string, choice: ArgumentChoice): void {
  if (choice.value === undefined) return
  draft.arguments[parameter] = choice.value
  if (choice.span >= 0) draft.spans.push(choice.span)
  const id = episode.ids[choice.id]
  if (id === undefined) {
    draft.supplied++
    return
  }
  draft.ids.push(id.number)
  draft.rows.push(id.row)
}
