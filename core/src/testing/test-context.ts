import { SpillStore } from '../artifacts/spill-store.ts'
import { RandomStream } from '../determinism/random-stream.ts'
import type { HookContext, SlotContext } from '../hooks/contexts.ts'
import type { SetupContext } from '../hooks/plugin.ts'

/** A hook context for tests: a stream named by `names`, a signal that never aborts, a log that is dropped. */
export function testContext(seed = 0, ...names: readonly string[]): HookContext {
  return { random: RandomStream.of(seed, 'test', ...names), signal: new AbortController().signal, log: () => {} }
}

/** The same for a slot. */
export function testSlotContext(seed = 0, ...names: readonly string[]): SlotContext {
  return { ...testContext(seed, ...names), seed }
}

/** What a plugin's setup gets in tests: every secret is "secret", the buffer has no bounds, the log is dropped. */
export function testSetupContext(): SetupContext {
  return { buffer: new SpillStore(), secret: () => 'secret', log: () => {} }
}
