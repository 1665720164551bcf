import type { DatabaseImage } from '../image/database-image.ts'
import type { Connection } from '../sqlite/connection.ts'
import type { SeededRandom } from '../sqlite/open-connection.ts'
import type { CallEffects, LoggedWrite } from '../tools/call-effects.ts'
import type { TouchedRows } from './changed-rows.ts'
import { CloneState } from './clone-state.ts'
import type { HotConnection } from './hot-connection.ts'
import type { InstanceState, Snapshot, WriteLog } from './instance-state.ts'
import { replayCost } from './replay-rules.ts'

/** Nothing but a log of writes, which the environment's hot connection carries out again when it is this one's turn. */
export class ReplayState implements InstanceState {
  readonly kind = 'replay'
  readonly random: SeededRandom
  readonly #image: DatabaseImage
  readonly #hot: HotConnection
  readonly #log: (readonly LoggedWrite[])[]
  #cost: number

  constructor(image: DatabaseImage, hot: HotConnection, random: SeededRandom, log: WriteLog) {
    this.random = random
    this.#image = image
    this.#hot = hot
    this.#log = [...log]
    this.#cost = log.reduce((sum, writes) => sum + replayCost(writes), 0)
  }

  get log(): WriteLog {
    return this.#log
  }

  /** What carrying the log out again takes, in simple writes. */
  get cost(): number {
    return this.#cost
  }

  connection(): Connection {
    return this.#hot.enter(this)
  }

  writing(): void {
    this.#hot.writing()
  }

  touched(effects: CallEffects): ReadonlyMap<number, TouchedRows> {
    return this.#hot.touched(effects)
  }

  keep(writes: readonly LoggedWrite[]): void {
    if (writes.length === 0) return
    this.#log.push(writes)
    this.#cost += replayCost(writes)
  }

  recover(traces: boolean): void {
    this.#hot.recover(this, traces)
  }

  snapshot(): Snapshot {
    return { kind: 'replay', log: [...this.#log], random: this.random.copy() }
  }

  image(): Buffer {
    const clone = this.promoted()
    try {
      return clone.image()
    } finally {
      clone.close()
    }
  }

  /** The same state in a database of its own. */
  promoted(): CloneState {
    return CloneState.after(this.#image, this.random, this.#log)
  }

  close(): void {
    this.#hot.leave(this)
  }
}
