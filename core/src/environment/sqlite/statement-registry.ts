import { positionalSql } from './positional-sql.ts'
import { sqlTokens } from './sql-text.ts'
import type { StatementVetter, VettedStatement } from './statement-vetting.ts'

/** A vetted statement with the place at which every connection keeps its prepared form; -1 is prepared anew each time. */
export interface RegisteredStatement extends VettedStatement {
  readonly slot: number
}

export type Admission =
  | { readonly ok: true; readonly statement: RegisteredStatement }
  | { readonly ok: false; readonly faults: readonly string[] }

/** Texts beyond this number are vetted once more whenever they come; tools and stored verifiers stay far below. */
const mostStatements = 2_000

/** The statements of one environment: each text is vetted once and has one slot. */
export class StatementRegistry {
  readonly #vetter: Pick<StatementVetter, 'vet'>
  readonly #admissions = new Map<string, Admission>()
  readonly #admitted: (RegisteredStatement | undefined)[] = []
  #slots = 0

  constructor(vetter: Pick<StatementVetter, 'vet'>) {
    this.#vetter = vetter
  }

  admit(sql: string): Admission {
    const known = this.#admissions.get(sql)
    if (known !== undefined) return known
    const keep = this.#admissions.size < mostStatements
    const vetting = this.#vetter.vet(sql)
    const admission: Admission = vetting.ok
      ? { ok: true, statement: { ...vetting.statement, slot: keep ? this.#slots++ : -1 } }
      : vetting
    if (keep) this.#admissions.set(sql, admission)
    if (keep && admission.ok) this.#admitted[admission.statement.slot] = admission.statement
    return admission
  }

  /** The admitted statement that has a slot. */
  at(slot: number): RegisteredStatement | undefined {
    return this.#admitted[slot]
  }

  /** For our own statements, which need no vetting. With parameters, one that reads by key: at most one row. */
  own(sql: string, columns: readonly string[] = [], parameters: readonly string[] = []): RegisteredStatement {
    const nothing = { writes: [], readOnly: true, firesPrograms: false, visits: 0, partial: false, searchTexts: [] }
    const single = parameters.length > 0
    const positional = positionalSql(sql, sqlTokens(sql))
    const told = { sql, positional, columns, parameters, single, ...nothing }
    return { ...told, usesRandom: false, inserts: false, point: null, slot: this.#slots++ }
  }
}
