import type { StateReader } from '../hooks/world.ts'
import type { ToolDefinition } from '../vocabulary/tool.ts'
import type { TableCatalog } from './database-reader.ts'
import type { TableScan } from './diff/table-diff.ts'
import type { DatabaseImage } from './image/database-image.ts'
import type { SqliteRow } from './sqlite/cell.ts'
import type { Connection } from './sqlite/connection.ts'
import type { IdleConnections } from './sqlite/idle-connections.ts'
import type { StatementRegistry } from './sqlite/statement-registry.ts'
import type { CompiledTool } from './tools/compile-toolset.ts'

/** What the instances of one environment share. */
export interface InstanceHost {
  readonly image: DatabaseImage
  readonly tools: readonly ToolDefinition[]
  /** Names of the tables, sorted. */
  readonly tables: readonly string[]
  readonly catalog: TableCatalog
  readonly registry: StatementRegistry
  /** One per table, in the order of the image's tables. */
  readonly scans: readonly TableScan[]
  /** On the image itself; only ever read. */
  readonly base: Connection
  /** The state that every instance starts in. */
  readonly initial: StateReader
  readonly idle: IdleConnections
  /** Source text of script tools, by path inside the bundle. */
  readonly scripts: Readonly<Record<string, string>>
  tool(name: string): CompiledTool | undefined
  /** All rows of a table, by its position, as every instance starts with them. */
  baseRows(table: number): readonly SqliteRow[]
  /** All rows of a table, by its position, as a connection sees them. */
  scan(connection: Connection, table: number): readonly SqliteRow[]
  /** One row of a table whose key is its row id; undefined when there is none. */
  scanRow(connection: Connection, table: number, id: bigint): SqliteRow | undefined
}
