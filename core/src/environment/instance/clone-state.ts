import type { DatabaseImage } from '../image/database-image.ts'
import { Connection } from '../sqlite/connection.ts'
import type { SeededRandom } from '../sqlite/open-connection.ts'
import type { CallEffects } from '../tools/call-effects.ts'
import type { TouchedRows } from './changed-rows.ts'
import type { InstanceState, Snapshot, WriteLog } from './instance-state.ts'
import { repeatWrites } from './repeat-writes.ts'

/** A database of its own, opened at its first use. */
export class CloneState implements InstanceState {
  readonly kind = 'clone'
  readonly random: SeededRandom
  readonly #image: DatabaseImage
  readonly #bytes: Buffer | null
  #connection: Connection | null = null

  /** @param bytes - what to start from; null for the image itself. */
  constructor(image: DatabaseImage, random: SeededRandom, bytes: Buffer | null) {
    this.random = random
    this.#image = image
    this.#bytes = bytes
  }

  /** The state that a log leads to. Calls of several writes are carried out as one, as they were. */
  static after(image: DatabaseImage, random: SeededRandom, log: WriteLog): CloneState {
    const state = new CloneState(image, random, null)
    const connection = state.connection()
    try {
      for (const writes of log) {
        if (writes.length > 1) connection.control('SAVEPOINT tool_call')
        repeatWrites(connection, writes)
        if (writes.length > 1) connection.control('RELEASE tool_call')
      }
    } catch (cause) {
      state.close()
      throw cause
    }
    return state
  }

  connection(): Connection {
    this.#connection ??= new Connection(this.#bytes ?? this.#image.bytes, this.#image.clock, this.random)
    return this.#connection
  }

  writing(): void {}

  touched({ tables }: CallEffects): ReadonlyMap<number, TouchedRows> {
    return tables
  }

  keep(): void {}

  recover(): void {}

  snapshot(): Snapshot {
    return { kind: 'clone', bytes: this.#connection === null ? this.#bytes : this.image(), random: this.random.copy() }
  }

  image(): Buffer {
    return this.connection().database.serialize()
  }

  close(): void {
    this.#connection?.close()
    this.#connection = null
  }
}
