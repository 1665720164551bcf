import { identifierWords } from '../text/identifier-words.ts'
import { stemHash } from '../text/stem.ts'
import { isIdName, keyHash, type ParameterView } from './parameter-view.ts'
import { idNouns, type ToolCatalogue } from './tool-catalogue.ts'
import type { ToolView } from './tool-view.ts'

/** How sure it is that a key of a row is what an id parameter wants. */
export const keyMatch = { none: 0, bare: 1, noun: 2, exact: 3 } as const

/** A key of rows that some tool returned. */
interface KeySignature {
  readonly key: number
  /** Stems of its name without "id"; empty for a bare `id`. */
  readonly stems: readonly number[]
  /** Nouns of the tool that returned it. */
  readonly nouns: readonly number[]
}

/** Key names that rows of one environment have, and how they match the id parameters of its tools. */
export class KeyMatches {
  readonly #catalogue: ToolCatalogue
  readonly #signatures: KeySignature[] = []
  readonly #known = new Map<string, number>()
  readonly #classes = new Map<number, number>()

  constructor(catalogue: ToolCatalogue) {
    this.#catalogue = catalogue
  }

  /** Number of a key name under a tool; −1 when the key is no id. */
  signature(name: string, tool: number): number {
    const label = `${tool} ${name}`
    const known = this.#known.get(label)
    if (known !== undefined) return known
    const made = isIdName(name) ? this.#signatures.push(this.#read(name, tool)) - 1 : -1
    this.#known.set(label, made)
    return made
  }

  /** One of {@link keyMatch}. */
  matchOf(signature: number, tool: ToolView, position: number): number {
    const code = (signature * 4096 + tool.index) * 64 + position
    const known = this.#classes.get(code)
    if (known !== undefined) return known
    const made = classify(this.#signatures[signature] as KeySignature, tool, tool.parameters[position] as ParameterView)
    this.#classes.set(code, made)
    return made
  }

  #read(name: string, tool: number): KeySignature {
    const stems = identifierWords(name).slice(0, -1).map(stemHash)
    return { key: keyHash(name), stems, nouns: this.#catalogue.tools[tool]?.nouns ?? [] }
  }
}

function classify(signature: KeySignature, tool: ToolView, parameter: ParameterView): number {
  const wanted = idNouns(tool, parameter)
  const bare = signature.stems.length === 0
  const nouns = bare ? signature.nouns : signature.stems
  if (!bare && signature.key === parameter.key) return keyMatch.exact
  if (wanted.some((stem) => nouns.includes(stem))) return keyMatch.noun
  return bare ? keyMatch.bare : keyMatch.none
}
