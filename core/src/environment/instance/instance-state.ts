import type { Connection } from '../sqlite/connection.ts'
import type { SeededRandom } from '../sqlite/open-connection.ts'
import type { CallEffects, LoggedWrite } from '../tools/call-effects.ts'
import type { TouchedRows } from './changed-rows.ts'

/** Writes by the call that made them, in the order in which they were carried out. */
export type WriteLog = readonly (readonly LoggedWrite[])[]

/** A state that others can start from; never changes. */
export type Snapshot =
  | { readonly kind: 'replay'; readonly log: WriteLog; readonly random: SeededRandom }
  /** Null bytes stand for the environment's image. */
  | { readonly kind: 'clone'; readonly bytes: Buffer | null; readonly random: SeededRandom }

/** How one instance holds its present state. */
export interface InstanceState {
  readonly kind: Snapshot['kind']
  /** Where `random()` draws from. */
  readonly random: SeededRandom
  /** The connection, in this state; until another instance of the environment is used. */
  connection(): Connection
  /** To be called before a tool that writes. */
  writing(): void
  /** What a call touched that has just succeeded. */
  touched(effects: CallEffects): ReadonlyMap<number, TouchedRows>
  /** Makes the writes of a call that has just succeeded part of this state. */
  keep(writes: readonly LoggedWrite[]): void
  /**
   * To be called after a tool that writes has failed: it may have ended the transaction that holds this state.
   *
   * @param traces - whether a failed write may have left rows behind in that transaction.
   */
  recover(traces: boolean): void
  snapshot(): Snapshot
  /** The present state as a whole SQLite database. */
  image(): Buffer
  close(): void
}
