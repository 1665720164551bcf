import type { TaskText } from '../text/task-text.ts'
import { callResults, type Episode } from '../transcript/episode.ts'
import { type ParameterView, parameterShapes } from '../transcript/parameter-view.ts'
import { modeOf } from '../transcript/task-view.ts'
import type { ToolView } from '../transcript/tool-view.ts'
import { answerInSight } from './answer.ts'
import { type CandidateBuffer, pack } from './candidate-buffer.ts'
import { intentFeatures as feature } from './feature-ids.ts'
import { openLabels, openValues } from './label-status.ts'
import type { ToolStandings } from './tool-standings.ts'
import { acceptsKind, fitsShape } from './value-kind.ts'

interface IntentState {
  readonly episode: Episode
  readonly standings: ToolStandings
  readonly question: number
  readonly writes: number
  readonly goalsLeft: number
  /** Open values of the active goal, as spans. */
  readonly values: readonly number[]
  readonly labels: number
}

/** Candidates: every tool, in catalogue order, then "finish". */
export function proposeIntents(buffer: CandidateBuffer, episode: Episode, standings: ToolStandings): void {
  const { catalogue, text, matches } = episode.view
  const state: IntentState = {
    episode,
    standings,
    question: text.goals[episode.activeGoal]?.question === true ? 1 : 0,
    writes: Math.min(2, episode.writes),
    goalsLeft: Math.min(2, episode.goalsLeft),
    values: openValues(episode),
    labels: openLabels(episode).length,
  }
  buffer.reset()
  for (const tool of catalogue.tools) {
    buffer.open(matches[episode.activeGoal]?.[tool.index]?.features)
    describeTool(buffer, tool, state)
  }
  buffer.open()
  describeFinish(buffer, state)
}

function describeTool(buffer: CandidateBuffer, tool: ToolView, state: IntentState): void {
  const { episode, standings } = state
  const write = tool.readOnly ? 0 : 1
  const mode = modeOf(tool, state.question === 1)
  const status = standings.status[tool.index] as number
  const called = Math.min(3, episode.called[tool.index] as number)
  const last = episode.lastResults[tool.index] as number
  buffer.relational(feature.kind, pack(write, state.question, state.writes, state.goalsLeft))
  buffer.relational(feature.called, pack(called, mode, last))
  buffer.relational(feature.idStatus, pack(status, write, state.question))
  buffer.relational(feature.errored, pack(episode.erroredSince[tool.index] as number, write))
  buffer.relational(feature.failures, pack(Math.min(4, episode.failures[tool.index] as number), mode))
  buffer.relational(feature.labels, pack(standings.labels[tool.index] as number, mode))
  buffer.relational(feature.exhausted, pack(standings.exhaustion[tool.index] as number, mode, Math.min(2, called)))
  describeSameness(buffer, tool, state, last)
  const previous = episode.calls.at(-1)
  const before = previous === undefined ? undefined : episode.view.catalogue.tools[previous.tool]
  const shares = before === undefined ? 0 : tool.nouns.some((noun) => before.nouns.includes(noun)) ? 2 : 1
  buffer.relational(feature.sharesNoun, pack(shares, write))
  describeValues(buffer, tool, state)
}

function describeSameness(buffer: CandidateBuffer, tool: ToolView, state: IntentState, last: number): void {
  const { episode } = state
  const same = episode.intent < 0 ? 2 : episode.intent === tool.index ? 1 : 0
  const done = episode.intentCalled ? 1 : 0
  buffer.relational(feature.stale, pack(same, Math.min(4, episode.stale), modeOf(tool, state.question === 1)))
  buffer.relational(feature.sameMode, pack(same, done, modeOf(tool, state.question === 1)))
  buffer.relational(
    feature.same,
    pack(same, done, episode.lastResult, same === 1 && last === callResults.failed ? 1 : 0),
  )
}

function describeValues(buffer: CandidateBuffer, tool: ToolView, state: IntentState): void {
  const { text } = state.episode.view
  const write = tool.readOnly ? 0 : 1
  let required = 0
  let fitting = 0
  for (const position of tool.valueParameters) {
    const parameter = tool.parameters[position]
    if (parameter === undefined || !parameter.required) continue
    required++
    if (isSatisfiable(parameter, state.values, text)) fitting++
  }
  buffer.relational(feature.valueFit, pack(Math.min(3, required), Math.min(3, state.values.length), write))
  const fit = required === 0 ? 0 : fitting === required ? 2 : 1
  buffer.relational(feature.kindFit, pack(fit, write, Math.min(3, state.values.length)))
}

/** Free text can always be found; numbers, dates and the like must stand in the goal. */
function isSatisfiable(parameter: ParameterView, values: readonly number[], text: TaskText): boolean {
  if (parameter.values !== null) return true
  if (parameter.type === 'string' && parameter.shape === parameterShapes.any) return true
  return values.some((index) => {
    const kind = text.spans[index]?.kind ?? 'word'
    return acceptsKind(parameter, kind) && fitsShape(parameter, kind)
  })
}

function describeFinish(buffer: CandidateBuffer, state: IntentState): void {
  const { episode } = state
  const last = episode.lastResult
  buffer.relational(feature.finish, pack(state.writes, episode.view.text.question ? 1 : 0, state.goalsLeft))
  buffer.relational(
    feature.finishResult,
    pack(last, episode.view.text.question ? 1 : 0, state.question, state.goalsLeft),
  )
  buffer.relational(feature.finishOpen, pack(Math.min(3, state.labels), Math.min(3, state.values.length), state.writes))
  const active = 1 << episode.activeGoal
  const row = episode.rows.findLast((seen) => (seen.goals & active) !== 0)
  const found = row === undefined ? 0 : 1 + Math.min(3, row.relevance)
  buffer.relational(feature.finishAnswer, pack(state.question, found, episode.intentCalled ? 1 : 0, state.goalsLeft))
  const sight = state.question === 1 ? answerInSight(episode) : 0
  buffer.relational(feature.finishSight, pack(sight, state.question, episode.intentCalled ? 1 : 0, state.goalsLeft))
}
