import type { ToolDefinition } from 'rlenv'
import { identifierWords } from '../text/identifier-words.ts'
import { stemHash } from '../text/stem.ts'
import { stopStems } from '../text/stop-words.ts'
import { tokenize } from '../text/tokens.ts'
import { type ParameterView, parameterViews } from './parameter-view.ts'

/** Where the verb stands in an environment's tool names. */
export type NamingStyle = 'verb-first' | 'verb-last'

/** One tool as the policy looks at it. */
export interface ToolView {
  readonly index: number
  readonly name: string
  /** Its name as words: how reasoning mentions it. */
  readonly phrase: string
  readonly readOnly: boolean
  /** Stems of its name, connecting words left out. */
  readonly nameStems: readonly number[]
  readonly verb: number
  /** Stems of the thing it is about: the words between its verb and "by". */
  readonly nouns: readonly number[]
  /** The last of them, 0 when there is none. */
  readonly mainNoun: number
  /** Content stems of its description that its name lacks. */
  readonly descriptionStems: readonly number[]
  /** First word of its description. */
  readonly opening: number
  readonly parameters: readonly ParameterView[]
  readonly idParameters: readonly number[]
  /** Indices of parameters that take no id. */
  readonly valueParameters: readonly number[]
  /** Content stems of its parameters' names. */
  readonly parameterStems: readonly number[]
  /** A read that takes a free string and no required id: where a name is looked up. */
  readonly lookUp: boolean
  /** Stems of its free string parameters' names. */
  readonly searchStems: readonly number[]
}

const connecting = new Set(['by', 'for', 'of', 'with', 'to', 'from', 'in', 'on', 'a', 'an', 'the', 'all'])

/** The verb stands where the nouns of id parameters do not. */
export function namingStyle(definitions: readonly ToolDefinition[]): NamingStyle {
  const nouns = new Set(
    definitions.flatMap((tool) => parameterViews(tool.inputSchema)).flatMap((p) => (p.isId ? p.stems : [])),
  )
  let first = 0
  let last = 0
  for (const { name } of definitions) {
    const words = identifierWords(name)
    if (words.length < 2) continue
    if (nouns.has(stemHash(words[0] as string))) first++
    if (nouns.has(stemHash(words.at(-1) as string))) last++
  }
  return first > last ? 'verb-last' : 'verb-first'
}

export function toolView(definition: ToolDefinition, index: number, phrase: string, style: NamingStyle): ToolView {
  const words = identifierWords(definition.name)
  const rest = style === 'verb-first' ? words.slice(1) : words.slice(0, -1)
  const verb = (style === 'verb-first' ? words[0] : words.at(-1)) ?? ''
  const border = rest.findIndex((word) => connecting.has(word))
  const nounWords = border > 0 ? rest.slice(0, border) : rest.filter((word) => !connecting.has(word))
  const nouns = nounWords.map(stemHash)
  const nameStems = [...new Set(words.filter((word) => !connecting.has(word)).map(stemHash))]
  const described = tokenize(definition.description).filter((token) => token.word)
  const contents = described.filter((token) => token.content).map((token) => token.stem)
  const parameters = parameterViews(definition.inputSchema)
  const positions = [...parameters.keys()]
  const isId = (position: number) => parameters[position]?.isId === true
  return {
    index,
    name: definition.name,
    phrase,
    readOnly: definition.readOnly,
    nameStems,
    verb: stemHash(verb),
    nouns,
    mainNoun: nouns.at(-1) ?? 0,
    descriptionStems: [...new Set(contents)].filter((stem) => !nameStems.includes(stem)),
    opening: described[0]?.stem ?? 0,
    parameters,
    idParameters: positions.filter(isId),
    valueParameters: positions.filter((position) => !isId(position)),
    parameterStems: [...new Set(parameters.flatMap((p) => (p.isId ? [] : p.stems)))].filter(
      (stem) => !stopStems.has(stem),
    ),
    searchStems: parameters.flatMap((p) => (isFreeString(p) ? p.stems : [])),
    lookUp: definition.readOnly && parameters.some(isFreeString) && !parameters.some((p) => p.isId && p.required),
  }
}

function isFreeString(parameter: ParameterView): boolean {
  return !parameter.isId && parameter.type === 'string' && parameter.values === null
}
