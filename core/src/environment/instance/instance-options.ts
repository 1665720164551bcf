import type { ScriptLimits } from '../sandbox/script-runtime.ts'
import type { ChangedRows } from './changed-rows.ts'
import type { Snapshot } from './instance-state.ts'

/** Where an instance starts and a reset leads back to. */
export interface InstanceStart {
  readonly state: Snapshot
  /** What differs from the image; nothing when left out. */
  readonly changed?: ChangedRows
  /** How many calls came before. */
  readonly calls: number
  /** Whether one of them wrote. */
  readonly touched: boolean
}

export interface InstanceOptions {
  readonly seed: number
  /** Whether a state that becomes costly to replay turns into a database of its own. */
  readonly promotes: boolean
  /** Whether reads of tables that it has not written may be answered by the image that all instances share. */
  readonly sharesReads: boolean
  readonly scriptLimits: ScriptLimits
  readonly start: InstanceStart
}
