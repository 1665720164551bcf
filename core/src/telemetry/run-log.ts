import pino, { type DestinationStream, type Logger } from 'pino'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

export interface RunLogOptions {
  /** File to append to. Default: stderr; never stdout, which belongs to results. */
  readonly file?: string
  /** Default "info". */
  readonly level?: LogLevel
  /** Takes the values of secrets out of every line. */
  readonly redact?: (text: string) => string
  /** Where lines go instead of a file or stderr. */
  readonly destination?: DestinationStream
}

/** A run's log: one JSON object a line. */
export interface RunLog {
  readonly logger: Logger
  /** Writes a plugin's line, under its name. */
  readonly plugin: (plugin: string, message: string) => void
  /** Puts everything that was logged on disk. */
  close(): void
}

/** Paths whose values are secrets by their name, at the top and one level down. */
const secretNames = ['apiKey', 'api_key', 'token', 'password', 'secret', 'authorization', 'Authorization']
const secretPaths = secretNames.flatMap((name) => [name, `*.${name}`])

/**
 * Opens a run's log. Lines are written synchronously, so that none is lost when the process ends.
 *
 * @throws an error of the file system when the file cannot be opened.
 */
export function createRunLog(options: RunLogOptions = {}): RunLog {
  const sink = options.destination ?? pino.destination({ dest: options.file ?? 2, sync: true, mkdir: true })
  const { redact = (text) => text } = options
  const logger = pino(
    { level: options.level ?? 'info', base: null, redact: { paths: secretPaths, censor: '[redacted]' } },
    { write: (line: string) => sink.write(redact(line)) },
  )
  return {
    logger,
    plugin: (plugin, message) => logger.info({ plugin }, message),
    close() {
      if ('flushSync' in sink && typeof sink.flushSync === 'function') sink.flushSync()
      if (options.file !== undefined && 'end' in sink && typeof sink.end === 'function') sink.end()
    },
  }
}
