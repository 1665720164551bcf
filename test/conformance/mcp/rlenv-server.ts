import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../../..')
export const bin = join(root, 'core/bin/run.js')
export const require = createRequire(import.meta.url)

/** What `rlenv serve --json` prints. */
export interface Serving {
  readonly url: string
  readonly mcp: string | null
  readonly control: string
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export const controlToken = 'control-of-the-test'

/** A folder of its own in which every workspace package is installed. */
export class Workplace {
  readonly directory = mkdtempSync(join(tmpdir(), 'rlenv-conformance-'))
  readonly #running = new Set<ChildProcess>()

  constructor(files: Readonly<Record<string, string>>) {
    symlinkSync(join(root, 'node_modules'), join(this.directory, 'node_modules'))
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(this.path(path)), { recursive: true })
      writeFileSync(this.path(path), text)
    }
  }

  path(...parts: readonly string[]): string {
    return join(this.directory, ...parts)
  }

  /** Runs a script of Node's to its end. */
  run(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const child = this.start(args, variables)
    let [stdout, stderr] = ['', '']
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => resolve({ code, stdout, stderr }))
    })
  }

  start(args: readonly string[], variables: Readonly<Record<string, string>> = {}): ChildProcess {
    const env = { ...process.env, CI: '1', NO_COLOR: '1', ...variables }
    const child = spawn(process.execPath, args, { cwd: this.directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#running.add(child)
    child.once('close', () => this.#running.delete(child))
    return child
  }

  /** Starts `rlenv serve` and waits until it serves. */
  async serve(...args: readonly string[]): Promise<Serving & { readonly end: () => Promise<number | null> }> {
    const child = this.start([bin, 'serve', '--json', ...args], { RLENV_CONTROL_TOKEN: controlToken })
    const serving = await new Promise<Serving>((resolve, reject) => {
      let [stdout, stderr] = ['', '']
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        stderr += text
      })
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        stdout += text
        if (stdout.trimEnd().endsWith('\n}')) resolve(JSON.parse(stdout) as Serving)
      })
      child.once('close', (code) => reject(new Error(`rlenv serve ended with ${code}: ${stdout}${stderr}`)))
    })
    const end = () =>
      new Promise<number | null>((resolve) => {
        child.once('close', resolve)
        child.kill('SIGINT')
      })
    return { ...serving, end }
  }

  /** Ends what is left running and deletes the folder. */
  remove(): void {
    for (const child of this.#running) child.kill('SIGKILL')
    rmSync(this.directory, { recursive: true, force: true })
  }
}

/** A configuration of tiny libraries, which are there at once. */
export const tinyConfig = `
import { defineConfig } from 'rlenv'
import { tinyPlugin } from 'rlenv/testing'

console.log('a banner of a configuration')
process.on('exit', () => console.log('a last word of a configuration'))
export default defineConfig({ plugins: [tinyPlugin()], synthesis: { environments: 1, tasksPerEnvironment: 4, minTasksPerEnvironment: 1 } })
`

/** Asks the control plane of a served configuration. */
export async function control(serving: Serving, method: string, path: string, body: object = {}): Promise<unknown> {
  const response = await fetch(serving.control + path, {
    method,
    headers: { authorization: `Bearer ${controlToken}` },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
  return response.json()
}
