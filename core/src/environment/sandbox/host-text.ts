import type { QuickJSContext } from 'quickjs-emscripten'
import { messageOf } from '../../errors/rlenv-error.ts'

/** Addresses in the module's memory. */
type Address = number

type HostCall = (context: Address, self: Address, count: number, values: Address) => Address

/** What the library itself goes through, of which its types say nothing. */
interface ContextParts {
  readonly ctx: { readonly value: Address }
  readonly cToHostCallbacks: { callFunction: HostCall }
  readonly ffi: {
    QTS_ArgvGetJSValueConstPointer(values: Address, index: number): Address
    QTS_GetString(context: Address, value: Address): Address
    QTS_NewString(context: Address, characters: Address): Address
    QTS_Throw(context: Address, error: Address): Address
  }
  readonly memory: {
    consumeJSCharPointer(characters: Address): string
    newHeapCharPointer(text: string): {
      consume(use: (held: { readonly value: { readonly ptr: Address } }) => Address): Address
    }
  }
}

/**
 * Answers every call of a context's host functions with text for text. For a context whose only one is that: the library
 * makes a scope, handles and generators for each call, which took a tenth of a short script's time.
 */
export function answerWithText(context: QuickJSContext, answer: (text: string) => string): void {
  const { ctx, cToHostCallbacks, ffi, memory } = context as unknown as ContextParts
  cToHostCallbacks.callFunction = (_context, _self, _count, values) => {
    try {
      const given = ffi.QTS_GetString(ctx.value, ffi.QTS_ArgvGetJSValueConstPointer(values, 0))
      const text = answer(memory.consumeJSCharPointer(given))
      // Whoever called takes the new value over.
      return memory.newHeapCharPointer(text).consume(({ value }) => ffi.QTS_NewString(ctx.value, value.ptr))
    } catch (thrown) {
      return context.newError(messageOf(thrown)).consume((error) => ffi.QTS_Throw(ctx.value, error.value))
    }
  }
}
