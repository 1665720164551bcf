import type { Connection } from '../sqlite/connection.ts'
import type { LoggedWrite } from '../tools/call-effects.ts'

/** Carries logged writes out once more. */
export function repeatWrites(connection: Connection, writes: readonly LoggedWrite[]): void {
  for (const { statement, bindings, random } of writes) {
    if (random === null) {
      connection.run(statement, bindings)
      continue
    }
    const own = connection.random
    connection.random = random.copy()
    try {
      connection.run(statement, bindings)
    } finally {
      connection.random = own
    }
  }
}
