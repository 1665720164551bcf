import { join } from 'node:path'
import type { Clock } from '../determinism/clock.ts'
import type { RunStatus } from '../telemetry/run-event.ts'
import type { JsonObject } from '../vocabulary/json.ts'
import { configHash } from './run-folder.ts'
import { firstConfig, type RunAttempt, type RunMetadata, type StartSettings, writeMetadata } from './run-metadata.ts'

interface StartOptions {
  readonly clock: Clock
  readonly config: unknown
  readonly details?: JsonObject
}

/** The starts of a run as its `metadata.json` tells them, the one at work last. The file is replaced whole each time. */
export class RunStarts {
  /** The start at work, from 1. */
  readonly attempt: number
  readonly settings: StartSettings
  readonly #folder: string
  readonly #clock: Clock
  #metadata: RunMetadata

  /** Another start after the earlier ones; nothing is written yet. */
  constructor(folder: string, earlier: RunMetadata, { clock, config, details = {} }: StartOptions) {
    this.#folder = folder
    this.#clock = clock
    this.attempt = earlier.attempts.length + 1
    const started = { attempt: this.attempt, started_at: this.#now(), ended_at: null, status: null }
    this.#metadata = { ...earlier, attempts: [...earlier.attempts, started] }
    const config_hash = configHash(config)
    const ownConfig = join('logs', `attempt_${this.attempt}`, firstConfig)
    this.settings = { config: earlier.config_hash === config_hash ? firstConfig : ownConfig, config_hash, details }
  }

  get metadata(): RunMetadata {
    return this.#metadata
  }

  write(): Promise<void> {
    return writeMetadata(this.#folder, this.#metadata)
  }

  /** Notes that nothing refused this start, so that its settings are the run's from now on. */
  begun(): Promise<void> {
    return this.#note({ settings: this.settings })
  }

  /** Notes how this start ended; null for one that was refused, which is none. */
  ended(status: RunStatus | null): Promise<void> {
    return this.#note(status === null ? null : { ended_at: this.#now(), status })
  }

  #note(change: Partial<RunAttempt> | null): Promise<void> {
    const attempts = this.#metadata.attempts.flatMap((one) => {
      if (one.attempt !== this.attempt) return one
      return change === null ? [] : { ...one, ...change }
    })
    this.#metadata = { ...this.#metadata, attempts }
    return this.write()
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString()
  }
}
