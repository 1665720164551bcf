import pino, { type DestinationStream, type Logger } from 'pino'
import { LogFile } from './log-file.ts'

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
  /** Lines that could not be written to the file, for example to a full disk. */
  readonly lostLines: number
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
  const file = options.file === undefined || options.destination !== undefined ? null : new LogFile(options.file)
  const sink = options.destination ?? file ?? pino.destination({ dest: 2, sync: true })
  const { redact = (text) => text } = options
  const logger = pino(
    { level: options.level ?? 'info', base: null, redact: { paths: secretPaths, censor: '[redacted]' } },
    { write: (line: string) => sink.write(redact(line)) },
  )
  return {
    logger,
    plugin: (plugin, message) => logger.info({ plugin }, message),
    get lostLines() {
      return file?.lostLines ?? 0
    },
    close: () => file?.close(),
  }
}
