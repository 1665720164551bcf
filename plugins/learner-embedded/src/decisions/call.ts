import type { PlacedSpan } from '../text/task-text.ts'
import type { Episode } from '../transcript/episode.ts'
import { distancesTo } from '../transcript/reachability.ts'
import type { ToolView } from '../transcript/tool-view.ts'
import { mix, mixUnordered } from '../weights/feature-hash.ts'
import { type CandidateBuffer, pack } from './candidate-buffer.ts'
import { callFeatures as feature, lexicalFeatures } from './feature-ids.ts'
import { openLabels } from './label-status.ts'
import type { ToolStandings } from './tool-standings.ts'

interface CallState {
  readonly episode: Episode
  readonly standings: ToolStandings
  readonly intent: number
  readonly distances: Uint8Array
  readonly distancesAny: Uint8Array
  readonly labels: readonly number[]
}

/** Candidates: every tool, in catalogue order: the next step towards the intent. */
export function proposeCalls(
  buffer: CandidateBuffer,
  episode: Episode,
  standings: ToolStandings,
  intent: number,
): void {
  const state: CallState = {
    episode,
    standings,
    intent,
    distances: distancesTo(intent, episode, standings, 2),
    distancesAny: distancesTo(intent, episode, standings, 1),
    labels: openLabels(episode),
  }
  buffer.reset()
  for (const tool of episode.view.catalogue.tools) {
    buffer.open()
    describeDistance(buffer, tool, state)
    describeHistory(buffer, tool, state)
    describeLabels(buffer, tool, state)
  }
}

function describeDistance(buffer: CandidateBuffer, tool: ToolView, state: CallState): void {
  const { standings, intent } = state
  const isIntent = tool.index === intent ? 1 : 0
  const write = tool.readOnly ? 0 : 1
  const status = standings.status[tool.index] as number
  const distance = state.distances[tool.index] as number
  const labels = state.standings.labels[tool.index] as number
  buffer.relational(feature.intent, pack(isIntent, status, write))
  buffer.relational(feature.distanceActive, pack(distance, status))
  buffer.relational(feature.distanceAny, pack(state.distancesAny[tool.index] as number, status))
  if (isIntent === 0) buffer.relational(feature.offIntent, pack(write, standings.status[intent] as number))
  buffer.relational(feature.labels, pack(labels, isIntent))
  buffer.relational(feature.distanceLabels, pack(distance, labels))
  const shape = tool.lookUp ? 1 : tool.idParameters.length === 0 ? 2 : tool.readOnly ? 3 : 4
  buffer.relational(feature.shape, pack(shape, distance, status))
}

function describeHistory(buffer: CandidateBuffer, tool: ToolView, state: CallState): void {
  const { episode } = state
  const called = Math.min(3, episode.called[tool.index] as number)
  const last = episode.lastResults[tool.index] as number
  buffer.relational(feature.called, pack(called, last, tool.index === state.intent ? 1 : 0))
  buffer.relational(feature.errored, pack(episode.erroredSince[tool.index] as number))
  buffer.relational(feature.exhausted, pack(state.standings.exhaustion[tool.index] as number, tool.readOnly ? 0 : 1))
  buffer.relational(feature.failures, pack(Math.min(4, episode.failures[tool.index] as number), tool.readOnly ? 0 : 1))
  buffer.relational(feature.stale, pack(Math.min(3, episode.stale), called, tool.index === state.intent ? 1 : 0))
}

function describeLabels(buffer: CandidateBuffer, tool: ToolView, state: CallState): void {
  const { episode } = state
  const match = episode.view.matches[episode.activeGoal]?.[tool.index]
  const distance = state.distances[tool.index] as number
  buffer.relational(feature.noun, pack(match?.noun === true ? 1 : 0, distance, tool.lookUp ? 1 : 0))
  buffer.relational(feature.overlap, pack(match?.overlap ?? 0, tool.readOnly ? 0 : 1))
  if (!tool.lookUp) return
  for (const label of state.labels) {
    const span = episode.view.text.spans[label]
    if (span !== undefined) describeLabel(buffer, tool, span, episode.triedSpan(tool.index, label))
  }
}

/** How an open name stands to a tool that could look it up. */
function describeLabel(buffer: CandidateBuffer, tool: ToolView, span: PlacedSpan, tried: boolean): void {
  const beside = tool.nouns.includes(span.noun) || tool.nouns.includes(span.before) ? 1 : 0
  const after = tool.nouns.includes(span.after) ? 1 : 0
  const possessive = span.possessive ? 1 : 0
  buffer.relational(feature.labelNoun, pack(beside, after, tried ? 1 : 0, possessive))
  for (const stem of tool.searchStems) buffer.relational(feature.labelParameter, mix(stem, span.kindIndex))
  for (const noun of tool.nouns) {
    buffer.lexical(lexicalFeatures.labelFirst, mix(span.first, noun))
    buffer.lexical(lexicalFeatures.labelLast, mix(span.last, noun))
    buffer.lexical(lexicalFeatures.labelNoun, mix(span.noun, noun))
    buffer.lexical(lexicalFeatures.labelAfter, mix(span.after, mix(noun, possessive)))
    buffer.lexical(lexicalFeatures.shared, mixUnordered(span.noun, noun))
    buffer.lexical(lexicalFeatures.labelKind, mix(noun, span.kindIndex))
  }
}
