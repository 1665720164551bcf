import type { QuickJSContext } from 'quickjs-emscripten'

/** What is used of WebAssembly's memory; neither the ES nor the Node types declare it. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer
}

/** Calls and loop turns after which QuickJS asks its interrupt handler. Source: JS_INTERRUPT_COUNTER_INIT of quickjs.c. */
const enginePeriod = 10_000

/**
 * The same here. A call can cost a thousand times more than a usual one: each overflow of the stack writes a line for
 * every frame, and a script that recurs out of `finally` does nothing else.
 */
const period = 1_000

/** 32-bit words of a context that are searched for its counter. */
const contextWords = 256

/** Which word of a context is the counter, the same in all modules; null when it cannot be told. Found at the first question. */
let counterAt: number | null | undefined

const addressOf = (context: QuickJSContext): number => (context as unknown as { ctx: { value: number } }).ctx.value

/** Sets how soon one context asks its interrupt handler again. Where the counter cannot be told, the engine's pace stays. */
export class InterruptPace {
  readonly #memory: WasmMemory
  readonly #address: number

  constructor(memory: WasmMemory, context: QuickJSContext) {
    this.#memory = memory
    this.#address = addressOf(context)
  }

  /** To be called first in the interrupt handler: the engine has just wound its counter up. */
  asked(): void {
    if (counterAt !== undefined) return
    const words = this.#words(0, contextWords)
    const found = [...words.keys()].filter((at) => words[at] === enginePeriod)
    counterAt = found.length === 1 ? (found[0] as number) : null
  }

  /** After a bounded number of calls and loop turns. */
  soon(): void {
    this.#set(period)
  }

  /** At every call and loop turn, so that whatever unwinding runs ends there. */
  atOnce(): void {
    this.#set(1)
  }

  #set(count: number): void {
    if (typeof counterAt === 'number') this.#words(counterAt, 1)[0] = count
  }

  /** Anew each time: the memory's buffer is another one whenever it has grown. */
  #words(from: number, count: number): Int32Array {
    return new Int32Array(this.#memory.buffer, this.#address + 4 * from, count)
  }
}
