import { spawn } from 'node:child_process'
import { afterAll, describe, expect, test } from 'vitest'
import { Project, smallConfig } from './project.ts'

const project = new Project({ 'small/rlenv.config.ts': smallConfig() })
afterAll(() => project.remove())

/** A question to wait for, and what a person types then. */
type Answer = readonly [question: RegExp, typed: string]

/** Runs a shell command on a terminal of its own, answering as a person would; resolves with all that was shown. */
function onTerminal(command: string, answers: readonly Answer[] = []): Promise<{ code: number | null; shown: string }> {
  const env = { ...process.env, RLENV: project.commandLine, TERM: 'xterm', COLUMNS: '100' }
  // A person's terminal is no automation: CI turns the display off.
  const child = spawn('env', ['-u', 'CI', 'script', '-qec', command, '/dev/null'], { cwd: project.directory, env })
  let [shown, seen] = ['', 0]
  const left = [...answers]
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
    const [next] = left
    if (next === undefined || !next[0].test(shown.slice(seen))) return
    left.shift()
    seen = shown.length
    child.stdin.write(`${next[1]}\n`)
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, shown }))
  })
}

const escapeCode = String.fromCharCode(27)

describe('on a terminal', () => {
  test('rlenv init asks what no flag says, and asks again for an answer that does not fit', async () => {
    const { code, shown } = await onTerminal('$RLENV init asked --seed 5', [
      [/Preset \(.*arena.*\) \[arena\]/, 'awn'],
      [/one of arena, awm[\s\S]*Preset/, 'awm'],
      [/Name of the run \[asked\]/, ''],
      [/Environments to synthesise \[60\]/, '9'],
    ])
    expect([code, shown]).toEqual([0, expect.not.stringContaining('Seed [')])
    const text = project.read('asked/rlenv.config.ts')
    for (const part of ['awm({ environments: 9 })', 'name: "asked"', 'seed: 5']) expect(text).toContain(part)
  })
  test('rlenv init asks nothing with --yes', async () => {
    const { code, shown } = await onTerminal('$RLENV init silent --yes')
    expect([code, shown]).toEqual([0, expect.not.stringContaining('[arena]')])
    expect(project.read('silent/rlenv.config.ts')).toContain('arena({ environments: 60 })')
  })
  test('rlenv synth rewrites one line while it works, and its results stay readable', async () => {
    const { code, shown } = await onTerminal('$RLENV synth -c small/rlenv.config.ts')
    expect(code).toBe(0)
    expect(shown).toContain(`\r${escapeCode}[2K`)
    expect(shown).toMatch(/8\/8/)
    expect(shown).toMatch(/\r?\nbundles in /)
  })
})
