import { Command, type Errors, Flags, type Interfaces } from '@oclif/core'
import { systemClock } from '../determinism/clock.ts'
import { exitCodeOf } from '../errors/exit-code.ts'
import { errnoOf } from '../errors/file-error.ts'
import { renderError } from '../errors/render-error.ts'
import { isRlenvError, messageOf, RlenvError } from '../errors/rlenv-error.ts'
import { type LoadedPipeline, loadPipeline } from '../pipeline/load-pipeline.ts'
import { SecretVault } from '../plugin/secrets.ts'
import { endWhenWritten, interruptible, unlessInterrupted } from './interruption.ts'
import { ProgressDisplay, waitingText } from './progress-display.ts'
import { reserveStdout } from './reserved-stdout.ts'

/** What the flags that most commands share were given as. */
export interface ConfigFlags {
  readonly config?: string | undefined
  readonly set?: readonly string[] | undefined
  readonly seed?: number | undefined
}

/** A configuration at work inside one command. */
export interface Session extends LoadedPipeline {
  /** Words of `--set` that it was loaded with, those that flags stand for among them. */
  readonly set: readonly string[]
  /** Aborts at the first Ctrl-C. */
  readonly signal: AbortSignal
  readonly progress: ProgressDisplay
  /** Hands on what plugins log and what the run warns of, until the returned function is called. */
  onLine(take: LineTaker): () => void
}

/** Takes one line and who wrote it. */
export type LineTaker = (source: string, line: string) => void

/** What every command of rlenv shares: flags, one JSON document on stdout, progress on stderr, errors, exit codes. */
export abstract class RlenvCommand extends Command {
  static override readonly enableJsonFlag = true
  static override readonly baseFlags: Interfaces.FlagInput = {
    stack: Flags.boolean({ description: 'Print the stack of an error.', helpGroup: 'GLOBAL' }),
  }

  /** For commands that work with a configuration. */
  static readonly configFlags = {
    config: Flags.string({ char: 'c', description: 'Configuration file. Default: the nearest rlenv.config.*' }),
    set: Flags.string({
      multiple: true,
      description: 'Override a setting: --set training.steps=10',
      helpValue: 'a.b=c',
    }),
    seed: Flags.integer({ description: 'Number that every random stream descends from.' }),
  }

  /** What plugins read; taken out of everything that this command prints. */
  readonly #secrets = new SecretVault()

  protected readonly progress = new ProgressDisplay(
    {
      isTTY: process.stderr.isTTY === true && process.env.CI === undefined,
      // A terminal that does not know its width says 0.
      columns: process.stderr.columns || 80,
      write: (text) => void process.stderr.write(this.#secrets.redact(text)),
    },
    systemClock,
  )

  #releaseStdout: () => void = () => undefined

  protected override async init(): Promise<void> {
    // Progress that nobody reads any more is no reason to stop.
    process.stderr.on('error', ignoreClosedPipe)
    if (this.jsonEnabled()) this.#releaseStdout = reserveStdout()
    await super.init()
  }

  /** The one document. Nothing of it is written before the command has ended, and nothing follows it. */
  protected override logJson(document: unknown): void {
    this.#releaseStdout()
    super.logJson(JSON.parse(this.#secrets.redact(JSON.stringify(document))))
    this.#releaseStdout = reserveStdout()
  }

  /** Loads the configuration, hands it to `work`, and gives everything back afterwards. */
  protected async withSession<Result>(
    flags: ConfigFlags,
    overrides: readonly string[],
    work: (session: Session) => Promise<Result>,
  ): Promise<Result> {
    const { signal, release } = interruptible(() =>
      this.progress.note('stopping in order; press Ctrl-C again to stop at once'),
    )
    const takers = new Set<LineTaker>()
    const tell: LineTaker = (source, line) => {
      for (const take of takers) take(source, line)
    }
    const onLine = (take: LineTaker) => {
      takers.add(take)
      return () => void takers.delete(take)
    }
    const set = [...overrides, ...(flags.seed === undefined ? [] : [`seed=${flags.seed}`]), ...(flags.set ?? [])]
    try {
      const loading = loadPipeline({
        command: this.id ?? 'rlenv',
        secrets: this.#secrets,
        set,
        events: (event) => {
          this.progress.onEvent(event)
          if (event.type === 'warning') tell(event.plugin ?? 'rlenv', event.message)
          if (event.type === 'waiting') tell('rlenv', waitingText(event))
        },
        log: (plugin, message) => {
          this.progress.note(`${plugin}: ${message}`)
          tell(plugin, message)
        },
        signal,
        ...(flags.config === undefined ? {} : { file: flags.config }),
      })
      const loaded = await unlessInterrupted(loading, signal)
      return await work({ ...loaded, set, signal, progress: this.progress, onLine })
    } finally {
      this.progress.finish()
      release()
    }
  }

  /** One clear message on stderr, or one JSON document on stdout, and the exit code of the error. */
  protected override async catch(thrown: Interfaces.CommandError): Promise<void> {
    this.progress.finish()
    if (isExit(thrown)) throw thrown
    const error = isUsageError(thrown) ? usageError(thrown, this.id) : thrown
    process.exitCode = exitCodeOf(error)
    if (this.jsonEnabled()) this.logJson(errorDocument(error))
    else process.stderr.write(`${this.#secrets.redact(renderError(error, { stack: wantsStack() }))}\n`)
    if (isRlenvError(error) && error.code === 'RLENV_INTERRUPTED') endWhenWritten()
  }
}

function ignoreClosedPipe(error: Error): void {
  if (errnoOf(error) !== 'EPIPE') throw error
}

const wantsStack = () => process.argv.includes('--stack')

/** oclif ends `--help` and `this.exit()` by throwing. */
function isExit(error: Error): boolean {
  return 'code' in error && error.code === 'EEXIT'
}

/** Words or flags that oclif's parser refused. */
function isUsageError(error: Error): error is Errors.CLIError {
  return 'oclif' in error && !isRlenvError(error)
}

/** The parser's words on one line, without its advice. */
function usageError(error: Error, command: string | undefined): RlenvError {
  const message = error.message
    .replace(/\s*See more help with --help\s*$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return new RlenvError(`${message.charAt(0).toLowerCase()}${message.slice(1)}`, {
    code: 'RLENV_USAGE',
    fix: `See "rlenv ${command ?? ''} --help".`.replace('  ', ' '),
    cause: error.cause,
  })
}

function errorDocument(error: Error) {
  if (!isRlenvError(error)) {
    const message = messageOf(error)
    return { status: 'failed', error: { code: null, message, fix: null, plugin: null, hook: null } }
  }
  const { code, message, fix = null, plugin = null, hook = null } = error
  const status = code === 'RLENV_INTERRUPTED' ? 'interrupted' : 'failed'
  return { status, error: { code, message, fix, plugin, hook } }
}
