import { identifierWords } from '../text/identifier-words.ts'
import { stemHash } from '../text/stem.ts'
import { ColumnLayout } from './column-layout.ts'
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

/**
 * Key names that rows of one environment have, and how they match the id parameters of its tools. The id parameters of
 * all tools are numbered through.
 */
export class KeyMatches {
  /** Number of id parameters of all tools. */
  readonly parameters: number
  /** Per tool, the number of its first id parameter. */
  readonly firsts: Int32Array
  readonly #catalogue: ToolCatalogue
  /** By signature: shape [id parameters of all tools], of {@link keyMatch}. */
  readonly #classes: Uint8Array[] = []
  readonly #fitting: (readonly number[])[] = []
  readonly #known: Map<string, number>[]
  /** Per tool, that of the rows that it returned last. */
  readonly #layouts: (ColumnLayout | undefined)[] = []

  constructor(catalogue: ToolCatalogue) {
    this.#catalogue = catalogue
    this.firsts = new Int32Array(catalogue.tools.length)
    this.#known = catalogue.tools.map(() => new Map())
    let count = 0
    for (const tool of catalogue.tools) {
      this.firsts[tool.index] = count
      count += tool.idParameters.length
    }
    this.parameters = count
  }

  /** Number of a key name under a tool; −1 when the key is no id. */
  signature(name: string, tool: number): number {
    const names = this.#known[tool] as Map<string, number>
    const known = names.get(name)
    if (known !== undefined) return known
    const made = isIdName(name) ? this.#add(this.#classify(name, tool)) : -1
    names.set(name, made)
    return made
  }

  /** Of rows with these columns, as a tool returned them. */
  layout(columns: readonly string[], tool: number): ColumnLayout {
    const latest = this.#layouts[tool]
    if (latest?.fits(columns)) return latest
    const layout = new ColumnLayout(columns, (name) => this.signature(name, tool))
    this.#layouts[tool] = layout
    return layout
  }

  /** Numbers of the id parameters of all tools that may want what stands under such a key. */
  fittingParameters(signature: number): readonly number[] {
    return this.#fitting[signature] ?? []
  }

  /** One of {@link keyMatch}, for the id parameter at this position among a tool's id parameters. */
  matchOf(signature: number, tool: number, ordinal: number): number {
    return this.#classes[signature]?.[(this.firsts[tool] as number) + ordinal] ?? keyMatch.none
  }

  #add(classes: Uint8Array): number {
    this.#fitting.push([...classes.keys()].filter((parameter) => (classes[parameter] as number) >= keyMatch.noun))
    return this.#classes.push(classes) - 1
  }

  #classify(name: string, from: number): Uint8Array {
    const stems = identifierWords(name).slice(0, -1).map(stemHash)
    const signature = { key: keyHash(name), stems, nouns: this.#catalogue.tools[from]?.nouns ?? [] }
    return Uint8Array.from(
      this.#catalogue.tools.flatMap((tool) =>
        tool.idParameters.map((at) => classify(signature, tool, tool.parameters[at] as ParameterView)),
      ),
    )
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
