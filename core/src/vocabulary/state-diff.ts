import type { Row } from './database.ts'

/** One row that differs between two states of a database. */
export type RowChange =
  | { readonly kind: 'insert'; readonly table: string; readonly key: Row; readonly after: Row }
  | { readonly kind: 'delete'; readonly table: string; readonly key: Row; readonly before: Row }
  | { readonly kind: 'update'; readonly table: string; readonly key: Row; readonly before: Row; readonly after: Row }

/** Every row that differs, sorted by table, then key. Empty when the states are equal. */
export type StateDiff = readonly RowChange[]
