import type { StateReader } from '../hooks/world.ts'
import type { ToolDefinition } from '../vocabulary/tool.ts'
import type { TableCatalog } from './database-reader.ts'
import type { DatabaseImage } from './image/database-image.ts'
import type { RowSource } from './instance/changed-rows.ts'
import type { GrowthBounds } from './instance/growth-bounds.ts'
import type { HotConnection } from './instance/hot-connection.ts'
import type { QueryConnection } from './query/query-connection.ts'
import type { Connection } from './sqlite/connection.ts'
import type { StatementRegistry } from './sqlite/statement-registry.ts'
import type { CompiledTool } from './tools/compile-toolset.ts'

/** What the instances of one environment share. */
export interface InstanceHost extends RowSource {
  readonly image: DatabaseImage
  readonly tools: readonly ToolDefinition[]
  /** Names of the tables, sorted. */
  readonly tables: readonly string[]
  readonly catalog: TableCatalog
  readonly registry: StatementRegistry
  /** On the image itself; only ever read. */
  readonly base: Connection
  /** What keeps statements within bounds when tables grow. */
  readonly growth: GrowthBounds
  /** For queries of policies, on the image itself. */
  readonly queries: QueryConnection
  /** What replayed instances take turns on. */
  readonly hot: HotConnection
  /** The state that every instance starts in. */
  readonly initial: StateReader
  /** Source text of script tools, by path inside the bundle. */
  readonly scripts: Readonly<Record<string, string>>
  tool(name: string): CompiledTool | undefined
}
