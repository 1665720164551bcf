import type { JudgedTrajectory, Trajectory } from '../vocabulary/trajectory.ts'

/**
 * Closes a finished trajectory, so that no plugin that sees it changes what the next one, the files and the training
 * see. Rows, results and sampled actions stay open: they are many, and nobody decides by them afterwards.
 */
export function freezeTrajectory(trajectory: Trajectory): void {
  Object.freeze(trajectory)
  Object.freeze(trajectory.messages)
  for (const message of trajectory.messages) Object.freeze(message)
  Object.freeze(trajectory.turns)
  for (const turn of trajectory.turns) Object.freeze(turn)
}

/** The same for what was decided about it. */
export function freezeJudged(judged: JudgedTrajectory): JudgedTrajectory {
  if (judged.verdict !== null) Object.freeze(judged.verdict)
  Object.freeze(judged.outcome)
  return Object.freeze(judged)
}
