import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { filesIn, treeOf } from './file-tree.ts'
import { Project, smallConfig } from './project.ts'

interface Synthesized {
  readonly stages: readonly { readonly stage: string; readonly entered: number; readonly cached: number }[]
}

const project = new Project({ 'rlenv.config.ts': smallConfig() })
const store = '.rlenv/artifacts'
let first: Readonly<Record<string, string>>

beforeAll(async () => {
  const { stages } = await project.json<Synthesized>(['synth'])
  expect(total(stages, 'cached')).toBe(0)
  first = treeOf(project.path('environments'))
})
afterAll(() => project.remove())

const total = (stages: Synthesized['stages'], field: 'entered' | 'cached') =>
  stages.reduce((sum, stage) => sum + stage[field], 0)

/** Synthesises once more, into a new folder, and says how many results were made afresh. */
async function madeAfresh(out: string, ...args: readonly string[]): Promise<number> {
  const { stages } = await project.json<Synthesized>(['synth', '--out', out, ...args])
  expect(treeOf(project.path(out))).toEqual(first)
  return total(stages, 'entered') - total(stages, 'cached')
}

test('a second synthesis is served from the store, writes nothing into it, and gives the same bytes', async () => {
  const stored = treeOf(project.path(store))
  expect(Object.keys(first).length).toBeGreaterThan(8 * 5)
  expect(await madeAfresh('again')).toBe(0)
  expect(treeOf(project.path(store))).toEqual(stored)
})

test('a synthesis into the same folder leaves its bytes alone', async () => {
  await project.json(['synth'])
  expect(treeOf(project.path('environments'))).toEqual(first)
})

test('after half of the store was deleted only that half is made again', async () => {
  const stored = treeOf(project.path(store))
  const lost = filesIn(project.path(store)).filter((_, index) => index % 2 === 0)
  for (const path of lost) rmSync(project.path(store, path))
  const made = await madeAfresh('half')
  // One of the stored results is the list of scenarios, which is no environment's stage.
  expect([lost.length, lost.length - 1]).toContain(made)
  expect(treeOf(project.path(store))).toEqual(stored)
})

test('one environment at a time gives the same bytes as eight', async () => {
  const other = (count: number) => [
    '--set',
    `synthesis.maxConcurrentEnvironments=${count}`,
    '--set',
    `synthesis.artifactDirectory=.rlenv/by-${count}`,
  ]
  expect(await madeAfresh('one', ...other(1))).toBeGreaterThan(0)
  expect(await madeAfresh('eight', ...other(8))).toBeGreaterThan(0)
  expect(treeOf(project.path('.rlenv/by-1'))).toEqual(treeOf(project.path('.rlenv/by-8')))
})

test('a damaged result in the store is made again', async () => {
  const [path] = filesIn(project.path(store))
  project.write(`${store}/${path}`, '{"torn')
  expect(await madeAfresh('mended')).toBeLessThanOrEqual(1)
})

test('synthesis that was interrupted ends with 130 and redoes nothing that was finished', async () => {
  const fresh = [
    '--set',
    'synthesis.artifactDirectory=.rlenv/stopped',
    '--set',
    'synthesis.maxConcurrentEnvironments=1',
  ]
  const args = ['synth', '--out', 'stopped', ...fresh]
  const ended = await project.interrupt(args, ({ stderr, sent }) => {
    return sent === 0 && stderr.includes('environments 1/') ? 'SIGINT' : null
  })
  expect(ended.code).toBe(130)
  expect(ended.stderr).toContain('RLENV_INTERRUPTED')
  const finished = treeOf(project.path('.rlenv/stopped'))
  expect(Object.keys(finished).length).toBeGreaterThan(4)
  expect(Object.keys(finished).length).toBeLessThan(filesIn(project.path(store)).length)

  const { stages } = await project.json<Synthesized>(args)
  const served = total(stages, 'cached')
  expect([served, served + 1]).toContain(Object.keys(finished).length)
  const now = treeOf(project.path('.rlenv/stopped'))
  for (const [path, hash] of Object.entries(finished)) expect(now[path]).toBe(hash)
  expect(treeOf(project.path('stopped'))).toEqual(first)
})
