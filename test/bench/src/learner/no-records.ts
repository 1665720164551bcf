import { join } from 'node:path'
import type { OpenRollouts, TrainingRecords } from 'rlenv'

/** Training records that keep nothing, so that a benchmark measures training and no disk. */
export class NoRecords implements TrainingRecords {
  readonly directory: string
  readonly checkpointDirectory: string

  constructor(directory: string) {
    this.directory = directory
    this.checkpointDirectory = join(directory, 'checkpoints')
  }

  async readEvaluation(): Promise<null> {
    return null
  }

  async openRollouts(): Promise<OpenRollouts> {
    const nothing = async () => undefined
    return { add: nothing, finish: nothing, discard: nothing }
  }

  async rollouts(): Promise<void> {}
  async timings(): Promise<void> {}
  async failedAttempts(): Promise<void> {}
  async metrics(): Promise<void> {}
  async evaluation(): Promise<void> {}
  async summary(): Promise<void> {}
  async file(): Promise<void> {}
  async begun(): Promise<void> {}
  async rewind(): Promise<void> {}
}
