import type { DatabaseImage } from '../image/database-image.ts'
import { QueryConnection, type QueryLimits } from '../query/query-connection.ts'
import type { VettedQuery } from '../query/query-vetting.ts'
import type { ChangedRows } from './changed-rows.ts'
import { KeptConnection } from './kept-connection.ts'

/** What the queries of an environment's instances share. */
export interface QueryHost {
  readonly image: DatabaseImage
  /** On the image itself. */
  readonly queries: QueryConnection
}

/** What queries need to know of their instance. */
export interface QueriedInstance {
  /** The present state as a whole SQLite database. */
  image(): Buffer
  changed(): ChangedRows
  /** Whether reads of tables that were never written may be answered by the image. */
  readonly sharesReads: boolean
}

export type QueryAdmission =
  | { readonly ok: true; readonly query: VettedQuery; readonly connection: QueryConnection }
  | { readonly ok: false; readonly faults: readonly string[] }

/**
 * Where the queries of one instance run: never on a connection that tools use. What they read is either the image, which
 * all instances share, or a copy of the instance's state, which lasts until its next write.
 */
export class InstanceQueries {
  readonly #host: QueryHost
  readonly #instance: QueriedInstance
  readonly #copy: KeptConnection<QueryConnection>

  constructor(host: QueryHost, instance: QueriedInstance) {
    const { image } = host
    this.#host = host
    this.#instance = instance
    this.#copy = new KeptConnection(() => new QueryConnection(instance.image(), image), image.bytes.length)
  }

  /** Looks at a text anew each time: policies write a new one nearly always. */
  admit(sql: string, limits: QueryLimits): QueryAdmission {
    const { sharesReads } = this.#instance
    if (!sharesReads) return admitOn(this.#copy.get(), sql, limits)
    const admission = admitOn(this.#host.queries, sql, limits)
    // What was refused may be admitted in a state that has fewer rows, or other ones.
    const reads = admission.ok ? admission.query.reads : null
    if (this.#instance.changed().readsInitial({ reads, readOnly: true })) return admission
    return admitOn(this.#copy.get(), sql, limits)
  }

  /** To be called whenever the state may change. */
  forget(): void {
    this.#copy.close()
  }
}

function admitOn(connection: QueryConnection, sql: string, limits: QueryLimits): QueryAdmission {
  const vetting = connection.vet(sql, limits)
  return vetting.ok ? { ...vetting, connection } : vetting
}
