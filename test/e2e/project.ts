import { type ChildProcess, spawn } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const bin = join(root, 'core/bin/run.js')

type Variables = Readonly<Record<string, string>>

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** What a command prints with `--json` when it fails. */
export interface Failure {
  readonly status: string
  readonly error: {
    readonly code: string | null
    readonly message: string
    readonly fix: string | null
    readonly plugin: string | null
    readonly hook: string | null
  }
}

/** What there is of a command while it runs. */
export interface Progress {
  readonly stderr: string
  /** Signals that were sent so far. */
  readonly sent: number
}

/** A folder of its own in which every workspace package is installed, and the built command line in it. */
export class Project {
  readonly directory = mkdtempSync(join(tmpdir(), 'rlenv-e2e-'))
  /** What a shell calls to run the built command line. */
  readonly commandLine = `${process.execPath} ${bin}`

  readonly #running = new Set<ChildProcess>()

  constructor(files: Readonly<Record<string, string>> = {}) {
    symlinkSync(join(root, 'node_modules'), join(this.directory, 'node_modules'))
    for (const [path, text] of Object.entries(files)) this.write(path, text)
  }

  path(...parts: readonly string[]): string {
    return join(this.directory, ...parts)
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(this.path(path)), { recursive: true })
    writeFileSync(this.path(path), text)
  }

  read(...parts: readonly string[]): string {
    return readFileSync(this.path(...parts), 'utf8')
  }

  /** Runs `rlenv` to its end, without a terminal. */
  rlenv(...args: readonly string[]): Promise<Ended> {
    return this.run(process.execPath, [bin, ...args])
  }

  /** Runs any command to its end; a shell's finds the command line as `$RLENV`. */
  run(command: string, args: readonly string[], variables: Variables = {}): Promise<Ended> {
    return this.#ended(command, args, variables, () => null)
  }

  /** Runs `rlenv … --json` and parses the one document it prints; throws unless it ends with `code`. */
  async json<Document>(args: readonly string[], code = 0, variables: Variables = {}): Promise<Document> {
    const ended = await this.run(process.execPath, [bin, ...args, '--json'], variables)
    if (ended.code !== code) throw unexpected(args, ended, code)
    return JSON.parse(ended.stdout) as Document
  }

  /** The error that a command must end with. */
  async failure(args: readonly string[], code: number): Promise<Failure['error'] & { readonly status: string }> {
    const { status, error } = await this.json<Failure>(args, code)
    return { status, ...error }
  }

  /** Starts `rlenv` and sends a signal whenever `when` says so of what stderr holds so far. */
  interrupt(args: readonly string[], when: (progress: Progress) => NodeJS.Signals | null): Promise<Ended> {
    return this.#ended(process.execPath, [bin, ...args], {}, when)
  }

  /** Folders of the training runs, in the order in which they began. */
  runDirectories(): readonly string[] {
    const root = this.path('outputs/train')
    return readdirSync(root)
      .map((name) => join(root, name))
      .sort((a, b) => statSync(a).birthtimeMs - statSync(b).birthtimeMs)
  }

  /** Ends what a test that took too long has left running, and deletes the folder. */
  remove(): void {
    for (const child of this.#running) child.kill('SIGKILL')
    rmSync(this.directory, { recursive: true, force: true })
  }

  #ended(
    command: string,
    args: readonly string[],
    variables: Variables,
    when: (progress: Progress) => NodeJS.Signals | null,
  ): Promise<Ended> {
    const env = { ...process.env, CI: '1', NO_COLOR: '1', RLENV: this.commandLine, ...variables }
    const child = spawn(command, args, { cwd: this.directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#running.add(child)
    const printed = { stdout: '', stderr: '', sent: 0 }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed.stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      printed.stderr += text
      const signal = when(printed)
      if (signal === null) return
      printed.sent += 1
      child.kill(signal)
    })
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => {
        this.#running.delete(child)
        resolve({ code, stdout: printed.stdout, stderr: printed.stderr })
      })
    })
  }
}

function unexpected(args: readonly string[], { code, stdout, stderr }: Ended, expected: number): Error {
  return new Error(`rlenv ${args.join(' ')} ended with ${code}, expected ${expected}\n${stdout}\n${stderr}`)
}

/** A whole run in seconds: preset arena, few environments, three steps. Further keys are TypeScript text. */
export function smallConfig(more = '', imports = ''): string {
  return `import { arena } from '@rlenv/preset-arena'
import { defineConfig } from 'rlenv'
${imports}
export default defineConfig({
  extends: arena({ environments: 8, tasksPerEnvironment: 6 }),
  training: { steps: 3, tasksPerStep: 4, rolloutsPerTask: 4, optimizerStepsPerStep: 2, maxRefills: 0, checkpointEverySteps: 1 },
  evaluation: { heldOutShare: 0.25, rolloutsPerTask: 2 },
  seed: 11,
  ${more}
})
`
}
