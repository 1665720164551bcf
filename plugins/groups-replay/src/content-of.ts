import { contentHash, type JudgedTrajectory } from 'rlenv'

/** sha-256, hex, of what was said and done and what it earned; equal for two rollouts that differ in nothing else. */
export function contentOf({ trajectory, reward }: JudgedTrajectory): string {
  const turns = trajectory.turns.map(({ span }) => span.actions)
  return contentHash({ messages: trajectory.messages, turns, answer: trajectory.answer, reward })
}
