import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Project } from './project.ts'

const controlToken = 'control-of-the-test'

/** `rlenv serve` while it listens. */
export interface ServedCommand {
  readonly url: string
  readonly pid: number
  /** Asks the control plane and reads its JSON. */
  control(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown>
}

/** Runs `rlenv serve` with these flags until `work` is done. */
export async function whileServing(
  project: Project,
  flags: readonly string[],
  work: (served: ServedCommand) => Promise<void>,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  const [node = '', bin = ''] = project.commandLine.split(' ')
  const env = { ...process.env, CI: '1', NO_COLOR: '1', RLENV_CONTROL_TOKEN: controlToken, ...variables }
  const child = spawn(node, [bin, 'serve', '--json', ...flags], {
    cwd: project.directory,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  try {
    const { url } = JSON.parse(await document(child.stdout)) as { url: string }
    await work({ url, pid: child.pid as number, control: (...asked) => ask(url, ...asked) })
  } finally {
    child.kill('SIGINT')
    await closed
  }
}

/** What is printed up to where it is one whole JSON document. */
async function document(stdout: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of stdout) {
    text += chunk
    if (text.trimEnd().endsWith('\n}')) return text
  }
  throw new Error(`rlenv serve ended before it listened\n${text}`)
}

async function ask(url: string, method: string, path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${controlToken}` }
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  return (await fetch(`${url}/control${path}`, init)).json()
}
