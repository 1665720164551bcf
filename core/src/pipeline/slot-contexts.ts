import { RandomStream } from '../determinism/random-stream.ts'
import type { SlotContext } from '../hooks/contexts.ts'
import type { EventSink } from '../telemetry/run-event.ts'

/**
 * What the slots of a run are built with. A slot that is built a second time, in another thread, gets the same stream.
 *
 * @param seed - the run's.
 */
export function slotContexts(seed: number, events: EventSink, signal: AbortSignal): (slot: string) => SlotContext {
  const log = (message: string) => events({ type: 'warning', message, plugin: null, hook: null })
  return (slot) => ({ random: RandomStream.of(seed, 'train', slot), signal, log, seed })
}
