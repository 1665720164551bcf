import type { Json } from 'rlenv'
import type { PlacedSpan } from '../text/task-text.ts'
import type { Episode } from '../transcript/episode.ts'
import { type ClosedValue, type ParameterView, parameterShapes, parameterTypes } from '../transcript/parameter-view.ts'
import type { ToolView } from '../transcript/tool-view.ts'
import { mix, mixUnordered } from '../weights/feature-hash.ts'
import type { ArgumentChoice, CallDraft } from './call-draft.ts'
import { type CandidateBuffer, pack } from './candidate-buffer.ts'
import { valueFeatures as feature, lexicalFeatures } from './feature-ids.ts'
import { openValues } from './label-status.ts'
import { acceptsKind, fitsShape } from './value-kind.ts'

/** Candidates: spans of the text that fit the type; for an optional parameter also leaving it out. */
export function proposeSpans(
  buffer: CandidateBuffer,
  episode: Episode,
  draft: CallDraft,
  parameter: ParameterView,
): ArgumentChoice[] {
  const choices: ArgumentChoice[] = []
  buffer.reset()
  const firsts = firstUnused(episode, draft)
  for (const span of episode.view.text.spans) {
    if (!isEligible(span, draft, parameter)) continue
    buffer.open()
    describeSpan(buffer, episode, draft, parameter, span, firsts.has(span.index))
    describeWords(buffer, draft, parameter, span)
    choices.push({ value: spanValue(span, parameter), span: span.index, id: -1 })
  }
  if (!parameter.required) choices.push(proposeOmission(buffer, episode, draft, parameter, choices.length))
  return choices
}

function isEligible(span: PlacedSpan, draft: CallDraft, parameter: ParameterView): boolean {
  if (!acceptsKind(parameter, span.kind)) return false
  if (parameter.type === 'integer' && !Number.isInteger(span.number)) return false
  return span.kind !== 'word' || !draft.tool.readOnly
}

function spanValue(span: PlacedSpan, parameter: ParameterView): Json {
  return parameter.type === 'string' ? span.text : span.number
}

/** The first span of each kind in the active goal that neither a write nor this call has used. */
function firstUnused(episode: Episode, draft: CallDraft): Set<number> {
  const { text } = episode.view
  const kinds = new Set<string>()
  const firsts = new Set<number>()
  for (const index of text.goals[episode.activeGoal]?.spans ?? []) {
    const span = text.spans[index] as PlacedSpan
    if (kinds.has(span.kind) || episode.written[index] === 1 || draft.spans.includes(index)) continue
    kinds.add(span.kind)
    firsts.add(index)
  }
  return firsts
}

function describeSpan(
  buffer: CandidateBuffer,
  episode: Episode,
  draft: CallDraft,
  parameter: ParameterView,
  span: PlacedSpan,
  first: boolean,
): void {
  const write = draft.tool.readOnly ? 0 : 1
  const type = parameterTypes.indexOf(parameter.type)
  const required = parameter.required ? 1 : 0
  const explains = explainsRow(span, episode, draft) ? 1 : 0
  const used = (episode.written[span.index] as number) * 2 + (episode.resolved[span.index] as number)
  const near = nearness(span, parameter)
  const tried = episode.triedSpan(draft.tool.index, span.index) ? 1 : 0
  const here = span.goal === episode.activeGoal ? 1 : 0
  buffer.relational(feature.kind, pack(span.kindIndex & 7, span.kindIndex >> 3, type, write * 2 + required))
  buffer.relational(feature.used, pack(used, write, span.label ? 1 : 0))
  buffer.relational(feature.word, pack(near, write, required))
  buffer.relational(feature.explains, pack(explains, write, near > 0 ? 1 : 0))
  buffer.relational(feature.tried, pack(tried, write, span.label ? 1 : 0))
  buffer.relational(feature.firstUnused, pack(first ? 1 : 0, write, span.kind === 'word' ? 1 : 0))
  buffer.relational(feature.goal, pack(here, write))
  buffer.relational(feature.repeated, pack(draft.spans.includes(span.index) ? 1 : 0, write))
  buffer.relational(feature.position, pack(write, explains, used, span.before === 0 ? 0 : 1))
  const claimed = isClaimed(span, draft.tool, parameter) ? 1 : 0
  buffer.relational(feature.claimed, pack(claimed, near, write))
  buffer.relational(feature.shape, pack(parameter.shape, span.kindIndex & 7, span.kindIndex >> 3))
  if (draft.tool.lookUp) describeSearch(buffer, draft.tool, span, tried)
}

/** Whether the span only tells which row is meant. */
function explainsRow(span: PlacedSpan, episode: Episode, draft: CallDraft): boolean {
  return draft.rows.some((row) => episode.rows[row]?.spans.includes(span.index) === true)
}

/** Whether the words or the look of a span belong to another parameter of the tool. */
function isClaimed(span: PlacedSpan, tool: ToolView, parameter: ParameterView): boolean {
  if (nearness(span, parameter) > 0) return false
  return tool.parameters.some((other) => {
    if (other === parameter || other.isId || other.values !== null) return false
    const looks = other.shape !== parameterShapes.any && fitsShape(other, span.kind)
    return looks ? parameter.shape !== other.shape : nearness(span, other) > 0
  })
}

function describeSearch(buffer: CandidateBuffer, { nouns }: ToolView, span: PlacedSpan, tried: number): void {
  const beside = nouns.includes(span.noun) || nouns.includes(span.before) ? 1 : 0
  buffer.relational(feature.labelNoun, pack(beside, nouns.includes(span.after) ? 1 : 0, tried))
}

/** 0 the parameter's word is not near, 1 it stands within three words before, 2 right before, 3 right after. */
function nearness(span: PlacedSpan, parameter: ParameterView): number {
  if (parameter.stems.includes(span.before) || parameter.stems.includes(span.noun)) return 2
  if (span.leading.some((stem) => parameter.stems.includes(stem))) return 1
  return parameter.stems.includes(span.after) ? 3 : 0
}

function describeWords(buffer: CandidateBuffer, draft: CallDraft, parameter: ParameterView, span: PlacedSpan): void {
  for (const stem of parameter.stems) {
    buffer.lexical(lexicalFeatures.valueBefore, mix(span.before, stem))
    buffer.lexical(lexicalFeatures.valueAfter, mix(span.after, stem))
    for (const leading of span.leading) buffer.lexical(lexicalFeatures.shared, mixUnordered(leading, stem))
    buffer.lexical(lexicalFeatures.labelKind, mix(stem, span.kindIndex))
  }
  for (const noun of draft.tool.nouns) {
    buffer.lexical(lexicalFeatures.valueFirst, mix(span.first, noun))
    buffer.lexical(lexicalFeatures.valueLast, mix(span.last, noun))
    if (draft.tool.lookUp) buffer.lexical(lexicalFeatures.shared, mixUnordered(span.noun, noun))
  }
}

/** Candidates: the values of a closed set; for an optional parameter also leaving it out. */
export function proposeValues(
  buffer: CandidateBuffer,
  episode: Episode,
  draft: CallDraft,
  parameter: ParameterView,
  values: readonly ClosedValue[],
): ArgumentChoice[] {
  const choices: ArgumentChoice[] = []
  buffer.reset()
  for (const value of values) {
    buffer.open()
    describeValue(buffer, episode, draft, parameter, value)
    choices.push({ value: value.value, span: -1, id: -1 })
  }
  if (!parameter.required) choices.push(proposeOmission(buffer, episode, draft, parameter, choices.length))
  return choices
}

function describeValue(
  buffer: CandidateBuffer,
  episode: Episode,
  draft: CallDraft,
  parameter: ParameterView,
  { phrase, stems }: ClosedValue,
): void {
  const { text } = episode.view
  const goal = text.goals[episode.activeGoal]
  const write = draft.tool.readOnly ? 0 : 1
  const whole = goal?.grams.has(phrase) === true
  const partly = stems.some((stem) => goal?.stems.has(stem))
  const mentioned = whole ? 2 : partly ? 1 : 0
  const elsewhere = text.grams.has(phrase) ? 1 : 0
  const explains = draft.rows.some((row) =>
    episode.rows[row]?.cells.some((cell) => String(cell).toLowerCase() === phrase),
  )
  buffer.relational(feature.mentioned, pack(mentioned, write, parameter.required ? 1 : 0, explains ? 1 : 0))
  buffer.relational(feature.mentionedOther, pack(mentioned, elsewhere, draft.supplied === 0 ? 0 : 1))
  const fits = isFieldChoice(draft, parameter) ? 1 : 0
  buffer.relational(feature.field, pack(fits, mentioned, write))
  for (const word of goal?.words ?? []) {
    for (const stem of stems) {
      buffer.lexical(lexicalFeatures.valueEnum, mix(word.stem, stem))
      buffer.lexical(lexicalFeatures.shared, mixUnordered(word.stem, stem))
    }
  }
}

/** Whether a closed set chooses what another parameter is about ("field" beside "value"). */
function isFieldChoice(draft: CallDraft, parameter: ParameterView): boolean {
  return draft.tool.parameters.some(
    (other) => other !== parameter && other.required && !other.isId && other.values === null,
  )
}

function proposeOmission(
  buffer: CandidateBuffer,
  episode: Episode,
  draft: CallDraft,
  parameter: ParameterView,
  others: number,
): ArgumentChoice {
  const goal = episode.view.text.goals[episode.activeGoal]
  const write = draft.tool.readOnly ? 0 : 1
  const worded = parameter.stems.some((stem) => goal?.stems.has(stem)) ? 1 : 0
  const kinds = openValues(episode).filter((index) => {
    const span = episode.view.text.spans[index] as PlacedSpan
    return !draft.spans.includes(index) && acceptsKind(parameter, span.kind)
  })
  const rest = draft.tool.valueParameters.filter((at) => draft.tool.parameters[at]?.required === false)
  const last = draft.tool.parameters[rest.at(-1) ?? -1] === parameter ? 1 : 0
  buffer.open()
  buffer.relational(feature.omit, pack(others === 0 ? 1 : 0, write, worded))
  buffer.relational(feature.omitOpen, pack(Math.min(3, kinds.length), write, worded, parameter.values === null ? 0 : 1))
  buffer.relational(feature.omitSupplied, pack(Math.min(2, draft.supplied), write, last, Math.min(2, kinds.length)))
  for (const stem of parameter.stems) {
    for (const word of goal?.words ?? []) buffer.lexical(lexicalFeatures.omitWord, mix(word.stem, stem))
  }
  return { value: undefined, span: -1, id: -1 }
}
