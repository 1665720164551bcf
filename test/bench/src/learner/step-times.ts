import type { RunEvent } from 'rlenv'

/** Adds up where training steps spend their time. */
export class StepTimes {
  /** Seconds of rolling out and judging, over all steps. */
  generateS = 0
  /** Seconds of learning, over all steps. */
  learnS = 0

  readonly hear = (event: RunEvent): void => {
    if (event.type !== 'step:end') return
    this.generateS += event.metrics['time/generate'] ?? 0
    this.learnS += event.metrics['time/learn'] ?? 0
  }
}
