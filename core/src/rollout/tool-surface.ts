import type { CallOutcome, WorldInstance } from '../hooks/world.ts'
import type { JsonObject } from '../vocabulary/json.ts'
import type { ToolDefinition } from '../vocabulary/tool.ts'
import { isPromise } from './deadline.ts'
import type { ToolSurface } from './step-check.ts'

/** A call with the name under which the world was reached. */
export interface SurfaceOutcome {
  /** Null when the call was answered without the world. */
  readonly serverName: string | null
  readonly outcome: CallOutcome
}

/** What the policy is offered of a world, and how its calls reach it. */
export interface Surface {
  tools(world: WorldInstance): readonly ToolDefinition[]
  call(
    world: WorldInstance,
    name: string,
    args: JsonObject,
    signal: AbortSignal,
  ): SurfaceOutcome | Promise<SurfaceOutcome>
}

const direct: Surface = {
  tools: (world) => world.tools,
  call: (world, name, args, signal) => reached(name, world.call(name, args, signal)),
}

function reached(name: string, outcome: CallOutcome | Promise<CallOutcome>): SurfaceOutcome | Promise<SurfaceOutcome> {
  if (isPromise(outcome)) return outcome.then((settled) => ({ serverName: name, outcome: settled }))
  return { serverName: name, outcome }
}

/** The surface of that name. */
export function surfaceOf(_surface: ToolSurface): Surface {
  return direct
}
