import type { Policy, RolloutStrategy } from '../../hooks/roles.ts'
import type { World } from '../../hooks/world.ts'
import type { Pipeline } from '../../plugin/pipeline.ts'
import type { EventSink } from '../../telemetry/run-event.ts'
import type { JsonObject } from '../../vocabulary/json.ts'

/** What a shard plays rollouts with; built from the run's configuration inside the shard. */
export interface ShardParts {
  readonly pipeline: Pipeline
  readonly strategy: RolloutStrategy
  readonly world: World
  /** Builds a policy of the kind that the configuration names, or a learner that serves one. */
  policy(): Promise<Policy>
  close(): Promise<void>
}

/** Where a shard's news go. */
export interface ShardSinks {
  readonly events: EventSink
  readonly log: (plugin: string, message: string) => void
}

/** Follows a recipe. @throws {RlenvError} what loading a configuration and setting its plugins up throws. */
export type AssembleShard = (recipe: JsonObject, seed: number, sinks: ShardSinks) => Promise<ShardParts>
