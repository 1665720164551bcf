import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A release of OpenEnv, in a virtual environment of its own below this folder. */
export interface ClientRelease {
  /** As pip names it. */
  readonly requirement: string
  /** What its client needs besides; its servers need more, which nothing here uses. */
  readonly needs: readonly string[]
}

/** The interpreter that has the clients, or why there is none. */
export type Installed = { readonly python: string } | { readonly missing: string }

export const releases = {
  'core-0.3': {
    requirement: 'openenv-core==0.3.0',
    needs: ['fastmcp>=3,<4', 'fastapi', 'httpx', 'pydantic>=2', 'requests', 'websockets>=15'],
  },
  'openenv-0.10': {
    requirement: 'openenv==0.10.0',
    needs: [
      'fastmcp>=3,<4',
      'fastapi',
      'httpx',
      'jsonschema',
      'packaging',
      'pydantic>=2',
      'requests',
      'websockets>=15',
    ],
  },
} as const satisfies Record<string, ClientRelease>

export type ReleaseName = keyof typeof releases

/** AWM's client is on no index; RLENV_AWM_CLIENT names another source for pip, for example a folder. */
const awmSource =
  process.env.RLENV_AWM_CLIENT ||
  'git+https://github.com/meta-pytorch/OpenEnv.git@9ffb7ef4b001b64992e7bfb9e8cfd31746ad36fd#subdirectory=envs/agent_world_model_env'

const folderOf = (name: ReleaseName) => join(import.meta.dirname, '.venv', name)
const pythonOf = (name: ReleaseName) => join(folderOf(name), process.platform === 'win32' ? 'Scripts' : 'bin', 'python')

/** Makes the virtual environment of a release unless it is there already. */
export async function installRelease(name: ReleaseName): Promise<Installed> {
  const { requirement, needs } = releases[name]
  const python = pythonOf(name)
  const mark = join(folderOf(name), 'installed')
  if (existsSync(mark)) return { python }
  const made = await ran('python3', ['-m', 'venv', folderOf(name)])
  if (made !== null) return { missing: `python3 cannot make a virtual environment: ${made}` }
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries', '1', '--timeout', '20']
  const installed =
    (await ran(python, [...pip, '--no-deps', requirement])) ?? (await ran(python, [...pip, ...needs])) ?? null
  if (installed !== null) return { missing: `${requirement} cannot be installed: ${installed}` }
  writeFileSync(mark, `${requirement}\n`)
  return { python }
}

/** Adds AWM's client to a release. */
export async function installAwm(name: ReleaseName): Promise<Installed> {
  const release = await installRelease(name)
  if ('missing' in release) return release
  const mark = join(folderOf(name), 'installed-awm')
  if (existsSync(mark)) return release
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', awmSource]
  const failed = await ran(release.python, pip)
  if (failed !== null) return { missing: `AWM's client cannot be installed: ${failed}` }
  writeFileSync(mark, '')
  return release
}

/** Says why a suite is skipped; true when it is. */
export function announceSkip(suite: string, installed: Installed): boolean {
  if (!('missing' in installed)) return false
  process.stderr.write(`skipped: ${suite}: ${installed.missing}\n`)
  return true
}

/** Runs a program of this folder's `clients/` and parses what it prints. */
export async function runClient<Document>(
  installed: Installed,
  program: string,
  url: string,
  input: unknown = null,
): Promise<Document> {
  if ('missing' in installed) throw new Error(installed.missing)
  const path = join(import.meta.dirname, 'clients', program)
  const { code, stdout, stderr } = await run(installed.python, ['-B', path, url], JSON.stringify(input), 120_000)
  if (code !== 0) throw new Error(`${program} ended with ${code}\n${stderr}`)
  return JSON.parse(stdout) as Document
}

/** The line that says what went wrong, before what pip remarks about it. */
function reasonIn(stderr: string): string {
  const lines = stderr.trim().split('\n')
  const telling = [/fatal:/i, /error:/i].map((pattern) => lines.find((line) => pattern.test(line)))
  return (telling[0] ?? telling[1] ?? lines.at(-1) ?? '').trim()
}

/** Null, or what went wrong in one line. */
async function ran(command: string, args: readonly string[]): Promise<string | null> {
  try {
    const { code, stderr } = await run(command, args, '', 600_000)
    return code === 0 ? null : reasonIn(stderr) || `exit ${code}`
  } catch (cause) {
    return String(cause)
  }
}

function run(command: string, args: readonly string[], input: string, timeout: number) {
  const env = {
    ...process.env,
    GIT_TERMINAL_PROMPT: '0',
    GIT_HTTP_LOW_SPEED_LIMIT: '1000',
    GIT_HTTP_LOW_SPEED_TIME: '20',
  }
  const child = spawn(command, args, { env, timeout, killSignal: 'SIGKILL', stdio: ['pipe', 'pipe', 'pipe'] })
  const printed = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.stderr += text
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, ...printed }))
  })
}
