import type { Opcode } from './opcodes.ts'
import { writtenSearches } from './search-words.ts'
import type { SqlToken } from './sql-text.ts'

/** Definitions of tables and indexes that search for texts, which SQLite does whenever it writes to them. */
export class SearchingDefinitions {
  readonly #definitions = new Map<number, readonly SqlToken[]>()

  /** @param page - where the table or index begins. */
  note(page: number, definition: readonly SqlToken[]): void {
    if (writtenSearches(definition).length > 0) this.#definitions.set(page, definition)
  }

  /** Those of what a program opens. */
  openedBy(opcodes: readonly Opcode[]): readonly (readonly SqlToken[])[] {
    const pages = opcodes.flatMap(({ opcode, p2 }) => (/^Open(?:Read|Write)$/.test(opcode) ? p2 : []))
    return [...new Set(pages)].flatMap((page) => {
      const definition = this.#definitions.get(page)
      return definition === undefined ? [] : [definition]
    })
  }
}
