import { spawnSync } from 'node:child_process'

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command to its end without a terminal; throws with all it printed unless it ends as expected. */
export function run(command: string, args: readonly string[], cwd: string, expected = 0): Finished {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    input: '',
    env: { ...process.env, CI: '1', NO_COLOR: '1', npm_config_fund: 'false', npm_config_audit: 'false' },
    maxBuffer: 64 * 1024 * 1024,
  })
  if (error) throw error
  if (status !== expected) {
    throw new Error(`${command} ${args.join(' ')} ended with ${status}, expected ${expected}\n${stdout}\n${stderr}`)
  }
  return { code: status, stdout, stderr }
}
