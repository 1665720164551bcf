import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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

  private constructor(project: Project, child: ChildProcess, url: string) {
    this.#project = project
    this.#child = child
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
    return new ServedBundles(project, child, await addressOf(child))
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'close')
    this.#child.kill('SIGINT')
    await ended
    this.#project.remove()
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  let stdout = ''
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      try {
        resolve((JSON.parse(stdout) as { url: string }).url)
      } catch {
        // The document has not come whole yet.
      }
    })
    child.once('close', (code) => reject(new Error(`rlenv serve ended with ${code}\n${stdout}\n${stderr}`)))
  })
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
