import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const bin = join(root, 'core/bin/run.js')
const environment = { ...process.env, CI: '1', NO_COLOR: '1' }

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A folder of its own in which every workspace package is installed, and the built command line in it. */
export class Project {
  readonly directory = mkdtempSync(join(tmpdir(), 'rlenv-e2e-'))

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

  /** Runs `rlenv` to its end, without a terminal. */
  rlenv(...args: readonly string[]): Ended {
    const options = { cwd: this.directory, encoding: 'utf8', input: '', env: environment, maxBuffer: 1 << 28 } as const
    const { status, stdout, stderr, error } = spawnSync(process.execPath, [bin, ...args], options)
    if (error) throw error
    return { code: status, stdout, stderr }
  }

  /** Runs `rlenv … --json` and parses the one document it prints; throws unless it ends with `code`. */
  json<Document>(args: readonly string[], code = 0): Document {
    const ended = this.rlenv(...args, '--json')
    if (ended.code !== code) {
      throw new Error(
        `rlenv ${args.join(' ')} ended with ${ended.code}, expected ${code}\n${ended.stdout}\n${ended.stderr}`,
      )
    }
    return JSON.parse(ended.stdout) as Document
  }

  /** Starts `rlenv` and sends a signal whenever `when` says so of what stderr holds so far. */
  interrupt(args: readonly string[], when: (stderr: string, sent: number) => NodeJS.Signals | null): Promise<Ended> {
    const child = spawn(process.execPath, [bin, ...args], { cwd: this.directory, env: environment })
    let [stdout, stderr, sent] = ['', '', 0]
    child.stdout.on('data', (text: Buffer) => {
      stdout += text.toString()
    })
    child.stderr.on('data', (text: Buffer) => {
      stderr += text.toString()
      const signal = when(stderr, sent)
      if (signal === null) return
      sent += 1
      child.kill(signal)
    })
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => resolve({ code, stdout, stderr }))
    })
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true })
  }
}

/** A whole run in seconds: preset arena, few environments, two steps. Further keys are TypeScript text. */
export function smallConfig(more = ''): string {
  return `import { arena } from '@rlenv/preset-arena'
import { defineConfig } from 'rlenv'

export default defineConfig({
  extends: arena({ environments: 8, tasksPerEnvironment: 6 }),
  training: { steps: 3, tasksPerStep: 4, rolloutsPerTask: 4, optimizerStepsPerStep: 2, maxRefills: 0, checkpointEverySteps: 1 },
  evaluation: { heldOutShare: 0.25, rolloutsPerTask: 2 },
  seed: 11,
${more}})
`
}
