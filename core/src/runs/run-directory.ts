import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { writeFileAtomic } from '../artifacts/write-file-atomic.ts'
import type { Clock } from '../determinism/clock.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { RolloutTiming } from '../rollout/collect-request.ts'
import type { RunStatus } from '../telemetry/run-event.ts'
import type { JsonObject } from '../vocabulary/json.ts'
import type { JudgedTrajectory, TrajectoryGroup } from '../vocabulary/trajectory.ts'
import { JsonlFile, type TornTail } from './jsonl-file.ts'
import { removeLeftovers } from './leftovers.ts'
import { makeLogFolder } from './log-folder.ts'
import { readJsonl } from './read-jsonl.ts'
import { RolloutsFile, writeRollouts } from './rollouts-file.ts'
import { configHash, makeRunFolder, type RunIdentity, runPath } from './run-folder.ts'
import { lockRun, unlockRun } from './run-lock.ts'
import { firstConfig, newMetadata, type RunMetadata, readMetadata } from './run-metadata.ts'
import { RunStarts } from './run-starts.ts'
import { latestRunLike } from './runs-below.ts'
import {
  evaluationPath,
  type MetricsLine,
  readJsonIfPresent,
  rewindMetrics,
  rewindSteps,
  type StepPlace,
  stepTracesPath,
} from './step-files.ts'
import { traceLine } from './trace-line.ts'

export interface RunOptions extends RunIdentity {
  readonly clock: Clock
  /** Written into `metadata.json`: plugins, seed, dataset, … */
  readonly details?: JsonObject
  /** Takes out of everything that is written what may not leave the process. Default: nothing. */
  readonly redact?: (text: string) => string
}

/**
 * The folder of one run.
 * ```
 * <root>/<kind>/<name>--<model>--<shortid>/
 *   config.resolved.json  metadata.json  summary.json
 *   traces.jsonl          rollouts that say something about the policy
 *   failures.jsonl        faults and unscored ones, failed attempts among them; cancelled rollouts leave no line
 *   timings.jsonl         the only place with wall-clock times of rollouts
 *   metrics.jsonl
 *   rollouts/step_<N>/{train,eval}/{all,effective}/traces.jsonl
 *   evaluations/step_<N>.json   or evaluation.json outside training
 *   checkpoints/
 *   logs/attempt_<n>/     logs/latest -> attempt_<n>
 * ```
 * Lines are appended and flushed (`timings.jsonl` is not flushed); everything else is written whole and renamed. What
 * a method has resolved for survives a crash. Records are never kept in memory.
 */
export class RunDirectory {
  readonly directory: string
  /** This start of the run, from 1. */
  readonly attempt: number
  readonly #starts: RunStarts
  readonly #redact: (text: string) => string
  readonly #files = new Map<string, Promise<JsonlFile>>()
  readonly #recorded = new Set<string>()
  readonly #tornTails: TornTail[] = []

  private constructor(directory: string, starts: RunStarts, { redact = (text) => text }: RunOptions) {
    this.directory = directory
    this.attempt = starts.attempt
    this.#starts = starts
    this.#redact = redact
  }

  /**
   * Starts a fresh run in a folder of its own. What can fail about the folder fails here, before any work.
   *
   * @throws {RlenvError} RLENV_OUTPUT_UNWRITABLE, RLENV_DISK_FULL
   */
  static async create(options: RunOptions): Promise<RunDirectory> {
    const folder = await makeRunFolder(options)
    const { kind, name, model, config, details = {} } = options
    const metadata = newMetadata({
      run_id: basename(folder),
      kind,
      name,
      model,
      config_hash: configHash(config),
      details,
    })
    await writeFileAtomic(join(folder, firstConfig), `${JSON.stringify(config, null, 2)}\n`)
    return RunDirectory.#begin(folder, metadata, options)
  }

  /**
   * Goes on with an earlier run: the one in `directory`, or the latest of this configuration.
   *
   * @throws {RlenvError} RLENV_RESUME_REFUSED when there is none, or another process writes it; RLENV_OUTPUT_UNWRITABLE
   */
  static async resume(options: RunOptions, directory?: string): Promise<RunDirectory> {
    const folder = directory ?? (await latestRunLike(options))
    if (folder === null) {
      throw new RlenvError(`no run of this configuration is there to resume: ${runPath(options)} does not exist`, {
        code: 'RLENV_RESUME_REFUSED',
        fix: 'Name the folder of a run, or start a new one without --resume.',
      })
    }
    const run = await RunDirectory.#begin(folder, await readMetadata(folder), options)
    const { config } = run.#starts.settings
    // A start that was refused may have left its own under this number.
    if (config === firstConfig) await rm(join(run.logDirectory, firstConfig), { force: true })
    else await run.file(config, `${JSON.stringify(options.config, null, 2)}\n`)
    await run.#loadRecorded()
    return run
  }

  static async #begin(folder: string, earlier: RunMetadata, options: RunOptions): Promise<RunDirectory> {
    const starts = new RunStarts(folder, earlier, options)
    const run = new RunDirectory(folder, starts, options)
    await lockRun(folder)
    await removeLeftovers(folder)
    await makeLogFolder(run.logDirectory)
    await starts.write()
    return run
  }

  get id(): string {
    return basename(this.directory)
  }

  get metadata(): RunMetadata {
    return this.#starts.metadata
  }

  /** `logs/attempt_<n>`: for the log of this start. */
  get logDirectory(): string {
    return join(this.directory, this.#attemptName)
  }

  get checkpointDirectory(): string {
    return join(this.directory, 'checkpoints')
  }

  get tracesPath(): string {
    return join(this.directory, 'traces.jsonl')
  }

  get failuresPath(): string {
    return join(this.directory, 'failures.jsonl')
  }

  /** Half lines that crashes left in the files opened so far, with where they were moved to. */
  get tornTails(): readonly TornTail[] {
    return this.#tornTails
  }

  /** Whether a member of a group stands in `traces.jsonl` or `failures.jsonl`; see {@link record}. */
  isRecorded(drawId: string, rolloutIndex: number): boolean {
    return this.#recorded.has(`${drawId}/${rolloutIndex}`)
  }

  /**
   * Appends finished rollouts: those that say something about the policy to `traces.jsonl`, faults and unscored ones to
   * `failures.jsonl`. Cancelled ones leave no line; those recorded before a resume are not written twice.
   */
  async record(members: readonly JudgedTrajectory[]): Promise<void> {
    const ended = members.filter(({ trajectory, outcome }) => {
      return outcome.kind !== 'cancelled' && !this.#recorded.has(trajectory.id)
    })
    const isFailure = ({ outcome }: JudgedTrajectory) =>
      outcome.kind === 'environment_fault' || outcome.kind === 'unscored'
    await this.#append('traces.jsonl', ended.filter((member) => !isFailure(member)).map(traceLine))
    await this.#append('failures.jsonl', ended.filter(isFailure).map(traceLine))
    for (const { trajectory } of ended) this.#recorded.add(trajectory.id)
  }

  /** Attempts that were tried again: lines of `failures.jsonl` with their attempt number and `"retried":true`. */
  failedAttempts(attempts: readonly JudgedTrajectory[]): Promise<void> {
    const lines = attempts.map((attempt) => ({ ...traceLine(attempt), retried: true }))
    return this.#append('failures.jsonl', lines)
  }

  /** A rollout that a resumed run plays again gets another line. */
  timings(timings: readonly RolloutTiming[]): Promise<void> {
    const lines = timings.map(({ id, attempt, startedAt, durationMs }) => {
      return { id, attempt, started_at: new Date(startedAt).toISOString(), duration_ms: durationMs }
    })
    return this.#append('timings.jsonl', lines)
  }

  metrics(line: MetricsLine): Promise<void> {
    return this.#append('metrics.jsonl', [line])
  }

  /**
   * Writes the rollouts of one step whole; writing them again replaces them. Members of `standing`, which another set of
   * the step holds, carry only what was decided about them.
   */
  rollouts(place: StepPlace, groups: readonly TrajectoryGroup[], standing?: readonly TrajectoryGroup[]): Promise<void> {
    return writeRollouts(stepTracesPath(this.directory, place), groups, standing, this.#redact)
  }

  /** The same, group by group. */
  openRollouts(place: StepPlace): Promise<RolloutsFile> {
    return RolloutsFile.open(stepTracesPath(this.directory, place), [], this.#redact)
  }

  /** Writes the report of an evaluation: after `report.step` training steps, or of a model when that is null. */
  async evaluation(report: { readonly step: number | null }): Promise<void> {
    await this.#writeJson(evaluationPath(this.directory, report.step), report)
  }

  /** The report of an earlier evaluation as it was written; null when there is none. */
  async readEvaluation<Report>(step: number): Promise<Report | null> {
    return (await readJsonIfPresent(evaluationPath(this.directory, step))) as Report | null
  }

  /** Writes `summary.json`. */
  summary(summary: unknown): Promise<void> {
    return this.#writeJson(join(this.directory, 'summary.json'), summary)
  }

  /** Writes a file of the folder whole. */
  async file(name: string, content: string): Promise<void> {
    await writeFileAtomic(join(this.directory, name), this.#redact(content))
  }

  /** Sets aside what belongs to steps after this number of finished ones, so that it can be written again. */
  async rewind(finishedSteps: number): Promise<void> {
    const aside = join(this.logDirectory, 'superseded')
    await rewindSteps(this.directory, finishedSteps, aside)
    const metrics = await this.#file('metrics.jsonl')
    await metrics.close()
    this.#files.delete('metrics.jsonl')
    await rewindMetrics(this.directory, finishedSteps, aside)
  }

  /** Nothing refused this start: from now on the run is one with its settings, also when it is resumed later. */
  begun(): Promise<void> {
    return this.#starts.begun()
  }

  /** Waits for all writes, closes the files and notes how this start ended; null for one that was refused, which is none. */
  async finish(status: RunStatus | null): Promise<void> {
    await this.close()
    await this.#starts.ended(status)
  }

  /** Waits for all writes, closes the files and leaves the folder to others. */
  async close(): Promise<void> {
    const files = [...this.#files.values()]
    this.#files.clear()
    for (const file of files) await (await file).close()
    await unlockRun(this.directory)
  }

  get #attemptName(): string {
    return join('logs', `attempt_${this.attempt}`)
  }

  async #append(name: string, lines: readonly unknown[]): Promise<void> {
    if (lines.length > 0) await (await this.#file(name)).append(lines)
  }

  #file(name: string): Promise<JsonlFile> {
    let file = this.#files.get(name)
    if (file === undefined) {
      file = this.#open(name)
      this.#files.set(name, file)
    }
    return file
  }

  async #open(name: string): Promise<JsonlFile> {
    const file = await JsonlFile.open(join(this.directory, name), {
      flush: name !== 'timings.jsonl',
      redact: this.#redact,
    })
    if (file.tornTail !== null) this.#tornTails.push(file.tornTail)
    return file
  }

  #writeJson(path: string, value: unknown): Promise<void> {
    return writeFileAtomic(path, this.#redact(`${JSON.stringify(value, null, 2)}\n`))
  }

  /** Opens the results of earlier starts, which sets torn tails aside, and remembers which rollouts are there. */
  async #loadRecorded(): Promise<void> {
    for (const name of ['traces.jsonl', 'failures.jsonl'].filter((one) => existsSync(join(this.directory, one)))) {
      const { path } = await this.#file(name)
      for await (const { value } of readJsonl(path)) {
        const { id, retried } = value as { readonly id?: unknown; readonly retried?: unknown }
        if (typeof id === 'string' && retried !== true) this.#recorded.add(id)
      }
    }
  }
}
