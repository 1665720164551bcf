import type { Message } from '../vocabulary/message.ts'
import type { Turn } from '../vocabulary/trajectory.ts'

/** What the policy sees at one turn. */
export interface Window {
  readonly messages: readonly Message[]
  /** See {@link Turn.windowStart}. */
  readonly start: number
}

/**
 * The history that the policy sees at the next turn: the head (everything up to the end of the first turn: system prompt,
 * task, first exchange) and the last `historyTurns` turns. Null shows everything, in the one array that grows.
 *
 * Training on turn t uses the same cut, so what is learned from is what was seen when acting.
 * @see Agent World Model, arXiv 2602.10090, history-aware training (w = 3).
 */
export function historyWindow(
  messages: readonly Message[],
  turns: readonly Turn[],
  historyTurns: number | null,
): Window {
  if (historyTurns === null) return { messages, start: 0 }
  const first = Math.max(1, turns.length - historyTurns)
  const head = turns[1]?.messageIndex
  const start = first >= turns.length ? messages.length : turns[first]?.messageIndex
  if (head === undefined || start === undefined || first <= 1) return { messages, start: 0 }
  return { messages: [...messages.slice(0, head), ...messages.slice(start)], start }
}

/** The messages that the policy saw at a recorded turn. */
export function messagesSeenAt(messages: readonly Message[], turns: readonly Turn[], turn: Turn): readonly Message[] {
  const before = messages.slice(0, turn.messageIndex)
  if (turn.windowStart === 0) return before
  return [...before.slice(0, turns[1]?.messageIndex ?? 0), ...before.slice(turn.windowStart)]
}
