import { RandomStream } from '../determinism/random-stream.ts'
import type { HookContext, SlotContext } from '../hooks/contexts.ts'

/** A hook context for tests: a stream named by `names`, a signal that never aborts, a log that is dropped. */
export function testContext(seed = 0, ...names: readonly string[]): HookContext {
  return { random: RandomStream.of(seed, 'test', ...names), signal: new AbortController().signal, log: () => {} }
}

/** The same for a slot. */
export function testSlotContext(seed = 0, ...names: readonly string[]): SlotContext {
  return { ...testContext(seed, ...names), seed }
}
