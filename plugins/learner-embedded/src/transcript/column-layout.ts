/** Which columns of a tool's rows are ids. */
export class ColumnLayout {
  /** Shape [columns]; −1 where the column is no id. */
  readonly signatures: Int32Array
  readonly hasId: boolean
  readonly #keys: readonly string[]

  /** @param signature - number of a key name; −1 when the key is no id. */
  constructor(columns: readonly string[], signature: (name: string) => number) {
    this.#keys = columns
    this.signatures = Int32Array.from(columns, signature)
    this.hasId = this.signatures.some((one) => one >= 0)
  }

  fits(columns: readonly string[]): boolean {
    return columns.length === this.#keys.length && columns.every((name, i) => name === this.#keys[i])
  }
}
