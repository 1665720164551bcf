import { ExecutableWorld } from '../../src/environment/executable-world.ts'
import type { CallOutcome, CapturedState, World, WorldInstance, WorldRequest } from '../../src/hooks/world.ts'
import type { Json } from '../../src/vocabulary/json.ts'

/** A door that is shut until it is opened; whoever waits at it then goes through. */
export class Gate {
  readonly passed: Promise<void>
  #open: () => void = () => undefined
  /** How many are or were waiting. */
  waiting = 0

  constructor() {
    this.passed = new Promise((resolve) => {
      this.#open = resolve
    })
  }

  open(): void {
    this.#open()
  }

  wait(): Promise<void> {
    this.waiting++
    return this.passed
  }
}

/** What a gated world waits for, per kind of work; nothing where there is no gate. */
export interface Gates {
  readonly open?: Gate
  readonly call?: Gate
  readonly close?: Gate
  /** Calls go on when the session has ended. */
  readonly ignoresEnd?: boolean
}

/** The executable world, whose calls answer late, as those of a world in another process do. */
export class GatedWorld implements World {
  readonly name = 'gated'
  readonly opened: WorldInstance[] = []
  closed = 0
  readonly #inner = new ExecutableWorld()
  readonly #gates: Gates

  constructor(gates: Gates = {}) {
    this.#gates = gates
  }

  async open(request: WorldRequest): Promise<WorldInstance> {
    await this.#gates.open?.wait()
    const inner = await this.#inner.open(request)
    const instance: WorldInstance = {
      tools: inner.tools,
      call: async (name: string, args: Json, signal: AbortSignal): Promise<CallOutcome> => {
        await this.#gates.call?.wait()
        return inner.call(name, args, this.#gates.ignoresEnd ? new AbortController().signal : signal)
      },
      capture: (): CapturedState | null | Promise<CapturedState | null> => inner.capture(),
      close: async () => {
        await this.#gates.close?.wait()
        this.closed++
        await inner.close()
      },
    }
    this.opened.push(instance)
    return instance
  }

  close(): void {}
}
