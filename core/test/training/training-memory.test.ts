import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('rollouts that wait and are remembered may take several times the heap, also over a resume', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rlenv-memory-'))
  const script = join(import.meta.dirname, 'fixtures', 'train-large.mjs')
  const child = spawn(process.execPath, ['--max-old-space-size=128', script, folder, '8'])
  let said = ''
  child.stdout.on('data', (data) => (said += String(data)))
  child.stderr.on('data', (data) => (said += String(data)))
  const code = await new Promise((resolve) => child.on('close', resolve))
  await rm(folder, { recursive: true, force: true })
  expect(said).toBe('remembers more than 200 MB\n')
  expect(code).toBe(0)
}, 180_000)
