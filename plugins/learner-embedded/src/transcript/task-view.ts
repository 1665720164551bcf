import { CandidateBuffer, pack } from '../decisions/candidate-buffer.ts'
import { intentFeatures, lexicalFeatures } from '../decisions/feature-ids.ts'
import { type Goal, parseTaskText, type TaskText, wordRoles } from '../text/task-text.ts'
import { type FeatureSpace, mix, mixUnordered } from '../weights/feature-hash.ts'
import { FixedFeatures } from '../weights/fixed-features.ts'
import { KeyMatches } from './key-match.ts'
import type { ToolCatalogue } from './tool-catalogue.ts'
import type { ToolView } from './tool-view.ts'

/** How a tool's words meet a goal's words, and the features that follow from it alone. */
export interface ToolMatch {
  /** Rarity-weighted overlap of name, description and parameters, in buckets 0 to 6. */
  readonly overlap: number
  /** One of the tool's nouns stands in the goal. */
  readonly noun: boolean
  /** Features of the intent decision that do not change during a rollout. */
  readonly features: FixedFeatures
}

/** A task text beside a tool catalogue. */
export interface TaskView {
  readonly catalogue: ToolCatalogue
  /** Shared by all tasks of the catalogue. */
  readonly keys: KeyMatches
  readonly text: TaskText
  /** Shape [goals, tools]. */
  readonly matches: readonly (readonly ToolMatch[])[]
}

interface Overlap {
  readonly name: number
  readonly description: number
  readonly parameters: number
  readonly all: number
}

const viewLimit = 192

/** Task views by catalogue and text; the rollouts of a group share theirs. */
export class TaskViews {
  readonly #space: FeatureSpace
  readonly #views = new WeakMap<ToolCatalogue, { readonly keys: KeyMatches; readonly byText: Map<string, TaskView> }>()

  constructor(space: FeatureSpace) {
    this.#space = space
  }

  of(catalogue: ToolCatalogue, text: string): TaskView {
    const { keys, byText } = this.#viewsOf(catalogue)
    const known = byText.get(text)
    if (known !== undefined) return known
    if (byText.size >= viewLimit) byText.clear()
    const made = { catalogue, keys, ...readTask(catalogue, text, this.#space) }
    byText.set(text, made)
    return made
  }

  #viewsOf(catalogue: ToolCatalogue) {
    const known = this.#views.get(catalogue)
    if (known !== undefined) return known
    const made = { keys: new KeyMatches(catalogue), byText: new Map<string, TaskView>() }
    this.#views.set(catalogue, made)
    return made
  }
}

function readTask(catalogue: ToolCatalogue, text: string, space: FeatureSpace): Pick<TaskView, 'text' | 'matches'> {
  const parsed = parseTaskText(text, catalogue.verbs, new Set(catalogue.rarity.keys()))
  const buffer = new CandidateBuffer(space)
  const matches = parsed.goals.map((goal) => {
    const overlaps = catalogue.tools.map((tool) => overlapOf(tool, goal, catalogue))
    const allRanks = writeRanks(
      catalogue.tools,
      overlaps.map((overlap) => overlap.all),
    )
    const nameRanks = writeRanks(
      catalogue.tools,
      overlaps.map((overlap) => overlap.name),
    )
    return catalogue.tools.map((tool, i): ToolMatch => {
      const overlap = overlaps[i] as Overlap
      buffer.reset()
      writeOverlaps(buffer, modeOf(tool, goal.question), overlap, allRanks[i] as number, nameRanks[i] as number)
      writeWords(buffer, tool, goal)
      writeLabels(buffer, tool, goal, parsed)
      writePairs(buffer, tool, goal)
      return {
        overlap: bucket(overlap.all),
        noun: tool.nouns.some((noun) => goal.stems.has(noun)),
        features: new FixedFeatures(buffer.features.slice(0, buffer.length)),
      }
    })
  })
  return { text: parsed, matches }
}

/** Reads and writes mean different things to a request and to a question: 0 to 3. */
export function modeOf(tool: ToolView, question: boolean): number {
  return (tool.readOnly ? 0 : 1) + (question ? 2 : 0)
}

function overlapOf(tool: ToolView, goal: Goal, catalogue: ToolCatalogue): Overlap {
  const weigh = (stems: readonly number[]) =>
    stems.reduce((sum, stem) => sum + (goal.stems.has(stem) ? (catalogue.rarity.get(stem) ?? 0) : 0), 0)
  const name = weigh(tool.nameStems)
  const description = weigh(tool.descriptionStems)
  const parameters = weigh(tool.parameterStems.filter((stem) => !tool.nameStems.includes(stem)))
  const extra = weigh(
    tool.parameterStems.filter((stem) => !tool.nameStems.includes(stem) && !tool.descriptionStems.includes(stem)),
  )
  return { name, description, parameters, all: name + description + extra }
}

function bucket(score: number): number {
  if (score <= 0) return 0
  if (score < 3) return score < 1 ? 1 : score < 2 ? 2 : 3
  return score < 4 ? 4 : score < 5.5 ? 5 : 6
}

/** Position among the write tools by score, 0 to 3; 4 for writes without any, 5 for reads. Equal scores share a rank. */
function writeRanks(tools: readonly ToolView[], scores: readonly number[]): number[] {
  const writes = scores.filter((_, i) => tools[i]?.readOnly === false)
  return scores.map((score, i) => {
    if (tools[i]?.readOnly !== false) return 5
    if (score <= 0) return 4
    return Math.min(3, writes.filter((other) => other > score + 1e-9).length)
  })
}

function writeOverlaps(buffer: CandidateBuffer, mode: number, overlap: Overlap, rank: number, nameRank: number): void {
  buffer.relational(intentFeatures.nameOverlap, pack(bucket(overlap.name), mode))
  buffer.relational(intentFeatures.descriptionOverlap, pack(bucket(overlap.description), mode))
  buffer.relational(intentFeatures.parameterOverlap, pack(bucket(overlap.parameters), mode))
  buffer.relational(intentFeatures.overlap, pack(bucket(overlap.all), mode))
  buffer.relational(intentFeatures.rank, pack(rank, bucket(overlap.all) > 3 ? 1 : 0, mode))
  buffer.relational(intentFeatures.nameRank, pack(nameRank, mode))
}

function writeWords(buffer: CandidateBuffer, tool: ToolView, goal: Goal): void {
  const mode = modeOf(tool, goal.question)
  const verb = goal.words.find((word) => word.stem === tool.verb || word.stem === tool.opening)
  const nouns = tool.nouns.filter((noun) => goal.stems.has(noun)).length
  const all = tool.nouns.length > 0 && nouns === tool.nouns.length
  buffer.relational(intentFeatures.verbAndNoun, pack(verb === undefined ? 0 : 1, all ? 2 : Math.min(1, nouns), mode))
  if (verb !== undefined) buffer.relational(intentFeatures.verbRole, pack(verb.role, mode))
  for (const word of goal.words) {
    if (tool.nouns.includes(word.stem)) buffer.relational(intentFeatures.nounRole, pack(word.role, mode))
  }
}

function writeLabels(buffer: CandidateBuffer, tool: ToolView, goal: Goal, text: TaskText): void {
  const labels = goal.spans.filter((span) => text.spans[span]?.label === true).length
  const mode = modeOf(tool, goal.question)
  buffer.relational(intentFeatures.labelFit, pack(Math.min(3, tool.idParameters.length), Math.min(3, labels), mode))
  buffer.relational(intentFeatures.question, pack(mode, tool.lookUp ? 1 : 0))
}

function writePairs(buffer: CandidateBuffer, tool: ToolView, goal: Goal): void {
  for (const { stem, role } of goal.words) {
    for (const named of tool.nameStems) {
      const pair = mix(stem, named)
      buffer.lexical(lexicalFeatures.intentPair, pair)
      buffer.lexical(lexicalFeatures.shared, mixUnordered(stem, named))
      if (role !== wordRoles.plain) buffer.lexical(lexicalFeatures.intentRole, mix(pair, role))
    }
    buffer.lexical(lexicalFeatures.intentOpening, mix(stem, tool.opening))
  }
}
