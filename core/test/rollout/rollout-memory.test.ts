import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('memory stays flat while traces of several times the heap are collected and recorded', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rlenv-memory-'))
  const script = join(import.meta.dirname, 'fixtures', 'collect-large.mjs')
  const child = spawn(process.execPath, ['--max-old-space-size=64', script, folder])
  let said = ''
  child.stdout.on('data', (data) => (said += String(data)))
  child.stderr.on('data', (data) => (said += String(data)))
  const code = await new Promise((resolve) => child.on('close', resolve))
  await rm(folder, { recursive: true, force: true })
  expect(said).toBe('500 rollouts, more than 100 MB\n')
  expect(code).toBe(0)
}, 120_000)
