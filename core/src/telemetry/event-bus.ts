import type { EventSink, RunEvent } from './run-event.ts'

/** Hands every event to every subscriber, in the order they came. */
export interface EventBus {
  readonly emit: EventSink
  /** Returns what ends the subscription. */
  subscribe(sink: EventSink): () => void
}

/**
 * A bus whose `emit` never throws, whatever a subscriber does.
 *
 * @param onError - told what a subscriber threw.
 */
export function createEventBus(onError: (error: unknown, event: RunEvent) => void): EventBus {
  const sinks = new Set<EventSink>()
  return {
    emit(event) {
      for (const sink of [...sinks]) {
        try {
          sink(event)
        } catch (error) {
          onError(error, event)
        }
      }
    },
    subscribe(sink) {
      const own: EventSink = (event) => sink(event)
      sinks.add(own)
      return () => sinks.delete(own)
    },
  }
}
