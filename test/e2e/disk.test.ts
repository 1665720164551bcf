import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readBundle } from 'rlenv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { filesIn } from './file-tree.ts'
import { onOwnDisk, ownDisksWork, withFileLimit } from './limited-disk.ts'
import { type Failure, Project, smallConfig } from './project.ts'

const project = new Project({ 'rlenv.config.ts': smallConfig() })
const mounts = await ownDisksWork(project)

beforeAll(() => project.json(['synth']))
afterAll(() => project.remove())

const errorOf = (stdout: string) => (JSON.parse(stdout) as Failure).error

/** Every file of JSON lines below a folder parses to its last line; none of it is half a line. */
function expectWholeLines(folder: string): void {
  for (const path of filesIn(folder).filter((name) => name.endsWith('.jsonl'))) {
    const text = readFileSync(join(folder, path), 'utf8')
    if (text !== '') expect(text.endsWith('\n'), path).toBe(true)
    for (const line of text.split('\n').filter((part) => part !== '')) JSON.parse(line)
  }
}

/** A stored result is a line about it, then the result. */
function expectWholeResult(text: string): void {
  const cut = text.indexOf('\n')
  expect(JSON.parse(text.slice(0, cut))).toHaveProperty('sha256')
  expect(JSON.parse(text.slice(cut))).toBeTypeOf('object')
}

function expectNoTemporaryFile(folder: string): void {
  expect(filesIn(folder).filter((path) => path.endsWith('.tmp'))).toEqual([])
}

describe.runIf(mounts)('on a disk that is too small', () => {
  test('training stops with exit code 1, names the file, and keeps whole lines', async () => {
    // A small policy, so that it is traces and not weights that fill the disk.
    const command = '$RLENV train --steps 40 --set plugins.learner-embedded.weights=2048 --json'
    const { code, stdout, stderr } = await onOwnDisk(project, 'outputs', 'size=6m', command)
    expect([code, stderr]).toEqual([1, expect.not.stringContaining('UnhandledPromise')])
    expect(errorOf(stdout)).toMatchObject({ code: 'RLENV_DISK_FULL' })
    expect(errorOf(stdout).message).toContain(project.path('outputs'))
    expect(errorOf(stdout).fix).toContain('Free')
    const kept = project.path('outputs.kept')
    expect(filesIn(kept).some((path) => path.endsWith('step_0/train/all/traces.jsonl'))).toBe(true)
    expectWholeLines(kept)
    expectNoTemporaryFile(kept)
  })
  test('evaluation stops with exit code 1 and keeps whole lines', async () => {
    const command = '$RLENV eval --base -r 60 --json'
    const { code, stdout } = await onOwnDisk(project, 'results', 'size=1m', `${command} --set output.directory=results`)
    expect(code).toBe(1)
    expect(errorOf(stdout)).toMatchObject({ code: 'RLENV_DISK_FULL' })
    expectWholeLines(project.path('results.kept'))
  })
  test('synthesis stops with exit code 1, and what is in its store is whole', async () => {
    const place = '--set synthesis.artifactDirectory=store --json'
    const { code, stdout } = await onOwnDisk(project, 'store', 'size=256k', `$RLENV synth ${place}`)
    expect(code).toBe(1)
    expect(errorOf(stdout)).toMatchObject({ code: 'RLENV_DISK_FULL' })
    const kept = project.path('store.kept')
    expectNoTemporaryFile(kept)
    const files = filesIn(kept)
    expect(files.length).toBeGreaterThan(0)
    for (const path of files) expectWholeResult(readFileSync(join(kept, path), 'utf8'))
    expect(
      await project.json(['synth', '--out', 'again', '--set', 'synthesis.artifactDirectory=store.kept']),
    ).toMatchObject({
      status: 'done',
    })
  })
  test('bundles are written whole or not at all', async () => {
    const { code, stdout } = await onOwnDisk(project, 'bundles', 'size=512k', '$RLENV synth --out bundles --json')
    expect(code).toBe(1)
    expect(errorOf(stdout)).toMatchObject({ code: 'RLENV_DISK_FULL' })
    const ids = new Set(filesIn(project.path('bundles.kept')).map((path) => path.split('/')[0] ?? ''))
    expect(ids.size).toBeGreaterThan(0)
    for (const id of ids) expect(await readBundle(project.path('bundles.kept', id))).toMatchObject({ id })
  })
})

test('a file that may not grow any further ends the run with exit code 1, its last line whole', async () => {
  const command = '$RLENV eval --base -r 8 --set output.directory=limited --json'
  const { code, stdout } = await withFileLimit(project, 64, command)
  expect(code).toBe(1)
  expect(errorOf(stdout)).toMatchObject({ code: 'RLENV_DISK_FULL' })
  expectWholeLines(project.path('limited'))
})

describe('an output folder that cannot be written to is refused with exit code 2 before any work', () => {
  const place = (folder: string) => ['--set', `output.directory=${folder}`]
  test.each([
    ['a path below a file', '/dev/null/outputs'],
    ['a path in a file system of the kernel', '/sys/rlenv-outputs'],
  ])('%s', async (_name, folder) => {
    const error = await project.failure(['train', ...place(folder)], 2)
    expect(error).toMatchObject({ code: 'RLENV_OUTPUT_UNWRITABLE' })
    expect(error.message).toContain(folder)
    expect(error.fix).not.toBeNull()
  })
  test('for the bundles of synthesis too, which keeps what it made in its store', async () => {
    const error = await project.failure(['synth', '--out', '/dev/null/environments'], 2)
    expect(error).toMatchObject({ code: 'RLENV_OUTPUT_UNWRITABLE' })
    expect(error.message).toContain('/dev/null/environments')
    expect(existsSync(project.path('.rlenv/artifacts'))).toBe(true)
  })
  test('and for the store of synthesis', async () => {
    const error = await project.failure(['synth', '--set', 'synthesis.artifactDirectory=/dev/null/store'], 2)
    expect(error).toMatchObject({ code: 'RLENV_OUTPUT_UNWRITABLE' })
  })
  test.runIf(mounts)('a disk that is read-only', async () => {
    const { code, stdout } = await onOwnDisk(
      project,
      'frozen',
      'ro',
      `$RLENV train --json ${place('frozen').join(' ')}`,
    )
    expect(code).toBe(2)
    expect(errorOf(stdout)).toMatchObject({ code: 'RLENV_OUTPUT_UNWRITABLE' })
    expect(errorOf(stdout).message).toContain('frozen')
  })
})
