import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Project } from '../../e2e/project.ts'

const bin = join(import.meta.dirname, '../../../core/bin/run.js')

/** A task of a bundle, with what solves it. */
export interface GoldTask {
  readonly id: string
  readonly instruction: string
  /** Position among its environment's tasks. */
  readonly index: number
  readonly scenario: string
  readonly calls: readonly { readonly tool: string; readonly arguments: Record<string, unknown> }[]
  readonly answer: string | null
}

interface StoredTask {
  readonly id: string
  readonly environmentId: string
  readonly instruction: string
  readonly gold: { readonly calls: GoldTask['calls']; readonly answer: unknown }
}

const config = `import { arena } from '@rlenv/preset-arena'
import { defineConfig } from 'rlenv'
export default defineConfig({ extends: arena({ environments: 3, tasksPerEnvironment: 5 }), seed: 5 })
`

export interface ServeOptions {
  readonly flags?: readonly string[]
  /** Of the environment of the process. */
  readonly variables?: Readonly<Record<string, string>>
}

/** `rlenv serve` as a process, over bundles that `rlenv synth` has just written. */
export class ServedBundles {
  readonly tasks: readonly GoldTask[]
  readonly url: string
  readonly pid: number
  readonly #project: Project
  readonly #child: ChildProcess
  readonly #errors: Said

  private constructor(project: Project, { child, stderr }: Started, url: string) {
    this.#project = project
    this.#child = child
    this.#errors = stderr
    this.pid = child.pid as number
    this.url = url
    this.tasks = tasksOf(project.path('environments'))
  }

  static async start({ flags = [], variables = {} }: ServeOptions = {}): Promise<ServedBundles> {
    const project = new Project({ 'rlenv.config.ts': config })
    await project.json(['synth', '--out', 'environments'])
    const args = [bin, 'serve', '--bundle', 'environments', '--json', ...flags]
    const env = { ...process.env, CI: '1', NO_COLOR: '1', ...variables }
    const child = spawn(process.execPath, args, { cwd: project.directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const started = { child, stdout: new Said(child.stdout), stderr: new Said(child.stderr) }
    return new ServedBundles(project, started, await addressOf(started))
  }

  /** First match among what the process says, or will say, on stderr. */
  said(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#errors.match(pattern)
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'close')
    this.#child.kill('SIGINT')
    await ended
    this.#project.remove()
  }
}

interface Started {
  readonly child: ChildProcess
  readonly stdout: Said
  readonly stderr: Said
}

/** The document that is printed when the server listens. */
function addressOf({ child, stdout, stderr }: Started): Promise<string> {
  return new Promise((resolve, reject) => {
    stdout.match(/^\{.*^\}$/ms).then(
      ([document]) => resolve((JSON.parse(document) as { url: string }).url),
      () => undefined,
    )
    child.once('close', (code) => reject(new Error(`rlenv serve ended with ${code}\n${stdout.text}\n${stderr.text}`)))
  })
}

/** What a process has said so far on one of its streams. */
class Said {
  text = ''
  readonly #stream: Readable

  constructor(stream: Readable | null) {
    if (stream === null) throw new TypeError('the stream is no pipe')
    this.#stream = stream
    stream.setEncoding('utf8').on('data', (text: string) => {
      this.text += text
    })
  }

  async match(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.text)
      if (found !== null) return found
      if (this.#stream.readableEnded) throw new Error(`nothing matches ${pattern} in\n${this.text}`)
      await Promise.race([once(this.#stream, 'data'), once(this.#stream, 'end')])
    }
  }
}

function tasksOf(folder: string): readonly GoldTask[] {
  const files = readdirSync(folder).map((name) => join(folder, name, 'tasks.jsonl'))
  return files.filter(existsSync).flatMap((file) => {
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    return lines.map((line, index) => goldTask(JSON.parse(line) as StoredTask, index))
  })
}

function goldTask({ id, environmentId, instruction, gold }: StoredTask, index: number): GoldTask {
  const { calls, answer } = gold
  const text = answer === null || typeof answer === 'string' ? answer : JSON.stringify(answer)
  return { id, instruction, index, scenario: environmentId, calls, answer: text }
}
