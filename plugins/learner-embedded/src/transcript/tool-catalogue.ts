import type { Json, ToolDefinition } from 'rlenv'
import { identifierWords } from '../text/identifier-words.ts'
import type { ParameterView } from './parameter-view.ts'
import { namingStyle, type ToolView, toolView } from './tool-view.ts'

/** The tools of one environment, read once. */
export interface ToolCatalogue {
  readonly tools: readonly ToolView[]
  readonly byName: ReadonlyMap<string, number>
  readonly byPhrase: ReadonlyMap<string, number>
  /** Rarity of a stem among the tools, ln((T + 1) / (df + 0.5)); a stem that no tool knows is not in it. */
  readonly rarity: ReadonlyMap<number, number>
  /** Stems that open a name or a description: where a plain "and" starts another goal. */
  readonly verbs: ReadonlySet<number>
  /** Per tool and id parameter (by its position among them): reads that return such ids and need none themselves. */
  readonly producers: readonly (readonly (readonly number[])[])[]
}

const byTools = new WeakMap<readonly ToolDefinition[], ToolCatalogue>()

/** The catalogue of a tool list; one list object is read once. */
export function catalogueOf(definitions: readonly ToolDefinition[]): ToolCatalogue {
  const known = byTools.get(definitions)
  if (known !== undefined) return known
  const made = readCatalogue(definitions)
  byTools.set(definitions, made)
  return made
}

/** The tool list that a `list_tools` result holds; what is no tool is left out. Null when there is none. */
export function listedTools(content: Json): ToolDefinition[] | null {
  const entries = Array.isArray(content) ? content : ((content as { tools?: Json } | null)?.tools ?? null)
  if (!Array.isArray(entries)) return null
  const tools = entries.filter(isListed).map((entry) => ({
    name: entry.name,
    description: entry.description ?? '',
    inputSchema: entry.inputSchema ?? {},
    readOnly: entry.readOnly ?? entry.annotations?.readOnlyHint ?? false,
  }))
  return tools.length > 0 ? tools : null
}

interface ListedTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema?: ToolDefinition['inputSchema']
  readonly readOnly?: boolean
  readonly annotations?: { readonly readOnlyHint?: boolean }
}

const isListed = (entry: unknown): entry is ListedTool =>
  typeof entry === 'object' && entry !== null && typeof (entry as { name?: unknown }).name === 'string'

function readCatalogue(definitions: readonly ToolDefinition[]): ToolCatalogue {
  const style = namingStyle(definitions)
  const phrases = uniquePhrases(definitions)
  const tools = definitions.map((definition, index) => toolView(definition, index, phrases[index] as string, style))
  return {
    tools,
    byName: new Map(tools.map((tool) => [tool.name, tool.index])),
    byPhrase: new Map(tools.map((tool) => [tool.phrase, tool.index])),
    rarity: rarityOf(tools),
    verbs: new Set(tools.flatMap((tool) => [tool.verb, tool.opening])),
    producers: tools.map((tool) =>
      tool.idParameters.map((at) => producersOf(tools, tool, tool.parameters[at] as ParameterView)),
    ),
  }
}

function uniquePhrases(definitions: readonly ToolDefinition[]): string[] {
  const phrases = definitions.map((definition) => identifierWords(definition.name).join(' '))
  return phrases.map((phrase, i) =>
    phrases.indexOf(phrase) === phrases.lastIndexOf(phrase) ? phrase : (definitions[i]?.name ?? phrase),
  )
}

function rarityOf(tools: readonly ToolView[]): Map<number, number> {
  const frequency = new Map<number, number>()
  for (const tool of tools) {
    for (const stem of new Set([...tool.nameStems, ...tool.descriptionStems, ...tool.parameterStems])) {
      frequency.set(stem, (frequency.get(stem) ?? 0) + 1)
    }
  }
  return new Map([...frequency].map(([stem, count]) => [stem, Math.log((tools.length + 1) / (count + 0.5))]))
}

/** Stems of the thing whose id a parameter takes; a plain `id` is the tool's own thing. */
export function idNouns(tool: ToolView, parameter: ParameterView): readonly number[] {
  return parameter.stems.length > 0 ? parameter.stems : tool.nouns
}

function producersOf(tools: readonly ToolView[], of: ToolView, parameter: ParameterView): number[] {
  const nouns = idNouns(of, parameter)
  const about = (tool: ToolView, stems: readonly number[]) => tool.nouns.some((noun) => stems.includes(noun))
  const requires = (tool: ToolView) =>
    tool.idParameters.some((at) => {
      const own = tool.parameters[at] as ParameterView
      return own.required && idNouns(tool, own).some((noun) => nouns.includes(noun))
    })
  return tools.filter((tool) => tool.readOnly && about(tool, nouns) && !requires(tool)).map((tool) => tool.index)
}
