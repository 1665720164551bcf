import type { StatementVetter, VettedStatement } from './statement-vetting.ts'

export interface RegisteredStatement extends VettedStatement {
  /** By which {@link StatementRegistry.at} finds it; -1 for our own and for one that is not kept. */
  readonly id: number
  /** The place at which every connection keeps its prepared form; -1 is prepared anew each time. */
  readonly slot: number
}

export type Admission =
  | { readonly ok: true; readonly statement: RegisteredStatement }
  | { readonly ok: false; readonly faults: readonly string[] }

/** Texts beyond this number are vetted once more whenever they come; tools and stored verifiers stay far below. */
const mostStatements = 2_000

/** The statements of one environment: each text is vetted once, and each text that is prepared has one slot. */
export class StatementRegistry {
  readonly #vetter: Pick<StatementVetter, 'vet'>
  readonly #admissions = new Map<string, Admission>()
  readonly #admitted: RegisteredStatement[] = []
  /** Slots by what is prepared. */
  readonly #slots = new Map<string, number>()

  constructor(vetter: Pick<StatementVetter, 'vet'>) {
    this.#vetter = vetter
  }

  admit(sql: string): Admission {
    const known = this.#admissions.get(sql)
    if (known !== undefined) return known
    const keep = this.#admissions.size < mostStatements
    const vetting = this.#vetter.vet(sql)
    if (!keep) return vetting.ok ? { ok: true, statement: { ...vetting.statement, id: -1, slot: -1 } } : vetting
    const admission: Admission = vetting.ok ? { ok: true, statement: this.#keep(vetting.statement) } : vetting
    this.#admissions.set(sql, admission)
    return admission
  }

  /** The admitted statement that has an id. */
  at(id: number): RegisteredStatement | undefined {
    return this.#admitted[id]
  }

  /** For our own statements, which need no vetting. With parameters, for which it has `?`, one that reads by key: at most one row. */
  own(sql: string, columns: readonly string[] = [], parameters: readonly string[] = []): RegisteredStatement {
    const nothing = {
      writes: [],
      reads: null,
      readOnly: true,
      firesPrograms: false,
      loops: false,
      visits: 0,
      partial: false,
      searchTexts: [],
    }
    const single = parameters.length > 0
    const told = { sql, positional: sql, columns, parameters, single, ...nothing }
    const slot = this.#slotOf(sql)
    return { ...told, usesRandom: false, inserts: false, point: null, orderMatters: 'never', id: -1, slot }
  }

  #keep(statement: VettedStatement): RegisteredStatement {
    const slot = this.#slotOf(statement.positional ?? statement.sql)
    const kept = { ...statement, id: this.#admitted.length, slot }
    this.#admitted.push(kept)
    return kept
  }

  #slotOf(prepared: string): number {
    const slot = this.#slots.get(prepared) ?? this.#slots.size
    this.#slots.set(prepared, slot)
    return slot
  }
}
