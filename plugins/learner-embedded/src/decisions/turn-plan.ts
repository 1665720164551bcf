import type { Json, JsonObject } from 'rlenv'
import type { Episode } from '../transcript/episode.ts'
import type { ParameterView } from '../transcript/parameter-view.ts'
import { reachabilityOf } from '../transcript/reachability.ts'
import { proposeAnswers } from './answer.ts'
import { proposeCalls } from './call.ts'
import { type ArgumentChoice, applyChoice, type CallDraft, draftCall } from './call-draft.ts'
import type { CandidateBuffer } from './candidate-buffer.ts'
import { proposeIds } from './id-argument.ts'
import { proposeIntents } from './intent.ts'
import { toolStandings } from './tool-standings.ts'
import { proposeSpans, proposeValues } from './value-argument.ts'

/** Picks one of at least two candidates. */
export interface Chooser {
  choose(candidates: CandidateBuffer): number
}

/** What one turn says. Tools are positions in the episode's catalogue. */
export type TurnPlan =
  | { readonly kind: 'call'; readonly intent: number; readonly tool: number; readonly arguments: JsonObject }
  | { readonly kind: 'finish'; readonly answer: string }

/**
 * The decisions of one turn, in order: the intent (a tool or "finish"), the call, its arguments one after the other; after
 * "finish" the answer. Sampling and training both come through here, with different choosers.
 */
export function planTurn(episode: Episode, buffer: CandidateBuffer, chooser: Chooser): TurnPlan {
  const standings = toolStandings(episode, reachabilityOf(episode))
  proposeIntents(buffer, episode, standings)
  const intent = decide(buffer, chooser)
  if (intent === episode.view.catalogue.tools.length) {
    const answers = proposeAnswers(buffer, episode)
    return { kind: 'finish', answer: answers[decide(buffer, chooser)] as string }
  }
  proposeCalls(buffer, episode, standings, intent)
  const draft = draftCall(episode, decide(buffer, chooser), intent)
  for (let position = 0; position < draft.tool.parameters.length; position++) {
    decideArgument(episode, buffer, chooser, draft, position)
  }
  return { kind: 'call', intent, tool: draft.tool.index, arguments: draft.arguments }
}

/** A decision with one candidate is none. */
function decide(buffer: CandidateBuffer, chooser: Chooser): number {
  return buffer.count > 1 ? chooser.choose(buffer) : 0
}

function decideArgument(
  episode: Episode,
  buffer: CandidateBuffer,
  chooser: Chooser,
  draft: CallDraft,
  position: number,
): void {
  const parameter = draft.tool.parameters[position] as ParameterView
  const choices = propose(episode, buffer, draft, parameter, position)
  const choice = choices.length > 0 ? choices[decide(buffer, chooser)] : undefined
  if (choice !== undefined) applyChoice(draft, episode, parameter.name, choice)
  else if (parameter.required) draft.arguments[parameter.name] = emptyValue(parameter)
}

function propose(
  episode: Episode,
  buffer: CandidateBuffer,
  draft: CallDraft,
  parameter: ParameterView,
  position: number,
): ArgumentChoice[] {
  if (parameter.values !== null) return proposeValues(buffer, episode, draft, parameter, parameter.values)
  if (!parameter.isId) return proposeSpans(buffer, episode, draft, parameter)
  const ids = proposeIds(buffer, episode, draft, position)
  return ids.length > 0 ? ids : proposeSpans(buffer, episode, draft, parameter)
}

/** What a required argument is given when nothing in the conversation fits its type. */
function emptyValue(parameter: ParameterView): Json {
  if (parameter.type === 'string') return ''
  return parameter.type === 'other' ? null : 0
}
