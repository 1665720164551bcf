import type { Json } from 'rlenv'
import type { Episode, SeenId, SeenRow } from '../transcript/episode.ts'
import { keyMatch } from '../transcript/key-match.ts'
import type { ParameterView } from '../transcript/parameter-view.ts'
import { mix } from '../weights/feature-hash.ts'
import type { ArgumentChoice, CallDraft } from './call-draft.ts'
import { type CandidateBuffer, pack } from './candidate-buffer.ts'
import { idFeatures as feature, lexicalFeatures, valueFeatures } from './feature-ids.ts'

/** Candidates per id parameter at most, newest first. */
const idLimit = 45

/** Candidates: ids seen so far, newest first; for an optional parameter also leaving it out. Empty when there is none. */
export function proposeIds(
  buffer: CandidateBuffer,
  episode: Episode,
  draft: CallDraft,
  position: number,
): ArgumentChoice[] {
  const parameter = draft.tool.parameters[position] as ParameterView
  const choices: ArgumentChoice[] = []
  buffer.reset()
  for (const { id, at, match } of eligibleIds(episode, draft, position)) {
    buffer.open()
    describeId(buffer, episode, draft, parameter, id, match)
    choices.push({ value: typed(id.value, parameter), span: -1, id: at })
  }
  if (!parameter.required) {
    buffer.open()
    const ready = choices.length > 0 ? 1 : 0
    buffer.relational(valueFeatures.omit, pack(2, draft.tool.readOnly ? 0 : 1, ready))
    choices.push({ value: undefined, span: -1, id: -1 })
  }
  return choices
}

interface EligibleId {
  readonly id: SeenId
  readonly at: number
  readonly match: number
}

/** Newest first, one per value and match; ids of other things are left out as soon as one may fit. */
function eligibleIds(episode: Episode, draft: CallDraft, position: number): EligibleId[] {
  const found: EligibleId[] = []
  const ordinal = draft.tool.idParameters.indexOf(position)
  const known = new Set<number>()
  let best: number = keyMatch.none
  for (let at = episode.ids.length - 1; at >= 0 && found.length < idLimit; at--) {
    const id = episode.ids[at] as SeenId
    const match = episode.view.keys.matchOf(id.signature, draft.tool.index, ordinal)
    const code = id.number * 4 + match
    if (known.has(code)) continue
    known.add(code)
    best = Math.max(best, match)
    found.push({ id, at, match })
  }
  return best === keyMatch.none ? found : found.filter(({ match }) => match !== keyMatch.none)
}

function describeId(
  buffer: CandidateBuffer,
  episode: Episode,
  draft: CallDraft,
  parameter: ParameterView,
  id: SeenId,
  match: number,
): void {
  const row = episode.rows[id.row] as SeenRow
  const tool = draft.tool
  const write = tool.readOnly ? 0 : 1
  const first = id.first ? 1 : 0
  const used = episode.usedId(tool.index, id.number) ? 1 : 0
  const active = (row.goals & (1 << episode.activeGoal)) === 0 ? 0 : 1
  const recency = Math.min(2, episode.calls.length - 1 - row.call)
  buffer.relational(feature.match, pack(match, first, write))
  buffer.relational(feature.relevance, pack(row.relevance, recency, used))
  buffer.relational(feature.matchRelevance, pack(match, row.relevance, first, active))
  buffer.relational(feature.repeated, pack(draft.ids.includes(id.number) ? 1 : 0, draft.rows.includes(id.row) ? 1 : 0))
  buffer.relational(feature.goal, pack(active, match, write))
  buffer.relational(feature.failed, pack(episode.failedId(tool.index, id.number) ? 1 : 0, write))
  buffer.relational(feature.hits, pack(Math.min(6, row.hits), match, first))
  buffer.relational(feature.intentRelevance, pack(draft.isIntent ? 1 : 0, row.relevance, match, first))
  describeOrigin(buffer, episode, parameter, row, match)
}

/** Where in the text the row was named. */
function describeOrigin(
  buffer: CandidateBuffer,
  episode: Episode,
  parameter: ParameterView,
  row: SeenRow,
  match: number,
): void {
  const { text } = episode.view
  const goal = text.goals[episode.activeGoal]
  const label = row.spans.find((span) => text.spans[span]?.label === true) ?? row.spans[0]
  const span = label === undefined ? undefined : text.spans[label]
  const order = span === undefined || goal === undefined ? 3 : Math.min(2, goal.spans.indexOf(span.index))
  buffer.relational(feature.order, pack(order < 0 ? 4 : order, match, parameter.role))
  buffer.relational(feature.role, pack(parameter.role, Math.min(7, row.call)))
  buffer.relational(feature.from, mix(span?.before ?? 0, pack(parameter.role, parameter.required ? 1 : 0, match)))
  for (const stem of parameter.stems) buffer.lexical(lexicalFeatures.idBefore, mix(span?.before ?? 0, stem))
}

/** An id as the parameter's type wants it. */
function typed(value: SeenId['value'], parameter: ParameterView): Json {
  if (parameter.type === 'string') return String(value)
  const numeric = parameter.type === 'integer' || parameter.type === 'number'
  return numeric && typeof value === 'string' && value !== '' && !Number.isNaN(Number(value)) ? Number(value) : value
}
