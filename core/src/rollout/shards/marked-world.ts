import type { CallOutcome, CapturedState, World, WorldInstance, WorldRequest } from '../../hooks/world.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import type { Json } from '../../vocabulary/json.ts'
import type { ToolDefinition } from '../../vocabulary/tool.ts'
import { isPromise } from '../deadline.ts'
import type { ShardMarks } from './shard-marks.ts'

/** One wrapper per instance, so that an instance that a world hands out twice is still recognised. */
export type MarkedInstances = WeakMap<WorldInstance, WorldInstance>

/** The world as one attempt of a shard sees it: every entry into the world's code is marked as that attempt's. */
export class MarkedWorld implements World {
  readonly name: string
  readonly #world: World
  readonly #marks: ShardMarks
  readonly #slot: number
  readonly #instances: MarkedInstances

  constructor(world: World, marks: ShardMarks, slot: number, instances: MarkedInstances) {
    this.name = world.name
    this.#world = world
    this.#marks = marks
    this.#slot = slot
    this.#instances = instances
  }

  open(request: WorldRequest, signal: AbortSignal): WorldInstance | Promise<WorldInstance> {
    const opened = this.#marks.within(this.#slot, 'open', '', () => this.#world.open(request, signal))
    return isPromise(opened) ? opened.then((instance) => this.#marked(instance)) : this.#marked(opened)
  }

  prepare(environment: Environment): void | Promise<void> {
    return this.#world.prepare?.(environment)
  }

  /** The shard closes the world when it ends. */
  close(): void {}

  #marked(instance: WorldInstance): WorldInstance {
    const known = this.#instances.get(instance)
    if (known !== undefined) return known
    const marked = new MarkedInstance(instance, this.#marks, this.#slot)
    this.#instances.set(instance, marked)
    return marked
  }
}

class MarkedInstance implements WorldInstance {
  readonly #instance: WorldInstance
  readonly #marks: ShardMarks
  readonly #slot: number

  constructor(instance: WorldInstance, marks: ShardMarks, slot: number) {
    this.#instance = instance
    this.#marks = marks
    this.#slot = slot
  }

  get tools(): readonly ToolDefinition[] {
    return this.#instance.tools
  }

  call(name: string, args: Json, signal: AbortSignal): CallOutcome | Promise<CallOutcome> {
    return this.#marks.within(this.#slot, 'tool', name, () => this.#instance.call(name, args, signal))
  }

  capture(): CapturedState | null | Promise<CapturedState | null> {
    return this.#marks.within(this.#slot, 'capture', '', () => this.#instance.capture())
  }

  close(): void | Promise<void> {
    return this.#marks.within(this.#slot, 'close', '', () => this.#instance.close())
  }
}
