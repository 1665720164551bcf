import { join, resolve } from 'node:path'
import { systemClock } from '../determinism/clock.ts'
import { isRlenvError, messageOf } from '../errors/rlenv-error.ts'
import { RunDirectory, type RunOptions } from '../runs/run-directory.ts'
import { createRunLog } from '../telemetry/run-log.ts'
import type { JsonObject } from '../vocabulary/json.ts'
import type { Session } from './rlenv-command.ts'
import { latestRunOf } from './unfinished-run.ts'

export interface RecordingOptions {
  /** The command: train, eval or rollout. */
  readonly kind: string
  /** Go on with an earlier training run: the latest of this configuration, or the one in this folder. */
  readonly resume?: boolean | string
}

/**
 * Opens the run's folder before any work, hands it to `work`, and notes how it ended, whatever happens. Warnings and
 * plugins' lines go to the folder's log as well.
 */
export async function recorded<Result>(
  session: Session,
  options: RecordingOptions,
  work: (run: RunDirectory) => Promise<Result>,
): Promise<Result> {
  const run = await open(session, options)
  const { emit, redact } = session
  const log = createRunLog({ file: join(run.logDirectory, 'run.log'), redact })
  const stopLogging = session.onLine((source, line) => log.plugin(source, line))
  emit({ type: 'run:start', runId: run.id, command: options.kind, directory: run.directory })
  try {
    const result = await work(run)
    await run.finish('done')
    emit({ type: 'run:end', runId: run.id, status: 'done' })
    return result
  } catch (cause) {
    const status = isRlenvError(cause) && cause.code === 'RLENV_INTERRUPTED' ? 'interrupted' : 'failed'
    log.logger.error({ status }, redact(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)))
    // A run that was left as it was has not failed.
    const isRefused = isRlenvError(cause) && cause.code === 'RLENV_RESUME_REFUSED'
    await run.finish(isRefused ? null : status).catch((error: unknown) => {
      session.progress.note(`how the run ended could not be noted: ${messageOf(error)}`)
    })
    emit({ type: 'run:end', runId: run.id, status })
    throw cause
  } finally {
    stopLogging()
    log.close()
    if (log.lostLines > 0) session.progress.note(`${log.lostLines} lines of the run's log could not be written`)
    await session.pipeline.drain()
  }
}

async function open(session: Session, { kind, resume = false }: RecordingOptions): Promise<RunDirectory> {
  const { config } = session
  const { command: _command, ...document } = session.describe()
  const options: RunOptions = {
    root: resolve(config.baseDirectory, config.output.directory),
    kind,
    name: config.name,
    model: modelName(session),
    config: document,
    clock: systemClock,
    details: detailsOf(session),
    redact: session.redact,
  }
  if (resume === false) return RunDirectory.create(options)
  const directory = typeof resume === 'string' ? resolve(resume) : await latestRunOf({ ...options, file: config.file })
  return RunDirectory.resume(options, directory)
}

/** What the plugin that samples is called in folder names: its package without scope. */
function modelName({ pipeline }: Session): string {
  const [plugin] = pipeline.producers(pipeline.has('policy') ? 'policy' : 'learner')
  return plugin === undefined ? 'none' : plugin.name.replace(/^@[^/]+\//, '')
}

function detailsOf({ config, pipeline, set }: Session): JsonObject {
  return {
    seed: config.seed,
    config_file: config.file,
    set: [...set],
    plugins: pipeline.report.plugins.map(({ name, version, layer }) => ({ name, version, layer: layer.name })),
  }
}
