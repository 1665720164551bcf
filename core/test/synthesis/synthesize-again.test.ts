import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writeBundle } from '../../src/artifacts/bundle-directory.ts'
import type { ScenarioContext } from '../../src/hooks/contexts.ts'
import type { PluginHooks } from '../../src/hooks/pipeline-hooks.ts'
import { synthesize } from '../../src/synthesis/synthesize.ts'
import { tinyHooks } from '../../src/testing/tiny-plugin.ts'
import type { DatabaseDraft } from '../../src/vocabulary/database.ts'
import { temporaryFolder } from '../artifacts/temporary-folder.ts'
import { failureOf, type RequestParts, stagesHeard, synthesisRequest } from './synthesis-request.ts'

const stages = ['database', 'tools', 'tasks', 'verifiers', 'gate']

function bytesOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  return Object.fromEntries(
    files
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  )
}

/** Counts calls of the miner, which is asked once per try. */
function counting(): { readonly hooks: PluginHooks; readonly calls: string[] } {
  const calls: string[] = []
  const dbMiner = (draft: DatabaseDraft, context: ScenarioContext) => {
    calls.push(context.scenario.id)
    return tinyHooks.dbMiner(draft, context)
  }
  return { hooks: { dbMiner }, calls }
}

describe('a second synthesis with the same configuration', () => {
  test('is served from the store and byte-identical', async () => {
    const directory = temporaryFolder()
    const { hooks, calls } = counting()
    const first = await synthesize(await synthesisRequest({ directory, hooks }))
    const stored = bytesOf(directory)
    const again = await synthesisRequest({ directory, hooks })
    const second = await synthesize(again)
    expect(JSON.stringify(second.environments)).toBe(JSON.stringify(first.environments))
    expect(calls).toHaveLength(3)
    expect(stagesHeard(again).filter((line) => !line.endsWith('cached'))).toEqual([])
    expect(bytesOf(directory)).toEqual(stored)
  })

  test.each([1, 8])('makes the same bytes with %i environments at a time', async (maxConcurrentEnvironments) => {
    const settings = { environments: 4, maxConcurrentEnvironments }
    const request = await synthesisRequest({ settings })
    const report = await synthesize(request)
    const reference = await synthesisRequest({ settings: { environments: 4, maxConcurrentEnvironments: 3 } })
    const expected = await synthesize(reference)
    expect(JSON.stringify(report.environments)).toBe(JSON.stringify(expected.environments))
    expect(bytesOf(request.store.directory)).toEqual(bytesOf(reference.store.directory))
    const [ours, theirs] = [temporaryFolder(), temporaryFolder()]
    for (const environment of report.environments) await writeBundle(environment, join(ours, environment.id))
    for (const environment of expected.environments) await writeBundle(environment, join(theirs, environment.id))
    expect(bytesOf(ours)).toEqual(bytesOf(theirs))
  })

  test('makes only what is missing when it wants more', async () => {
    const directory = temporaryFolder()
    await synthesize(await synthesisRequest({ directory }))
    const { hooks, calls } = counting()
    await synthesize(await synthesisRequest({ directory, hooks, settings: { environments: 5 } }))
    expect(calls).toEqual(['library-4', 'library-5'])
  })

  test.each<[string, RequestParts, readonly string[]]>([
    ['another seed', { seed: 1 }, ['scenarios', ...stages]],
    ['another version of a plugin', { version: '1.0.1' }, ['scenarios', ...stages]],
    [
      'another number of tasks',
      { settings: { environments: 1, tasksPerEnvironment: 3 } },
      ['tasks', 'verifiers', 'gate'],
    ],
    ['another concurrency', { settings: { environments: 1, maxConcurrentEnvironments: 1 } }, []],
  ])('makes anew what %s has a say in', async (_what, changed, made) => {
    const directory = temporaryFolder()
    await synthesize(await synthesisRequest({ directory, settings: { environments: 1 } }))
    const request = await synthesisRequest({ directory, settings: { environments: 1 }, ...changed })
    await synthesize(request)
    const remade = stagesHeard(request).filter((line) => line.endsWith('made'))
    expect(remade.map((line) => line.split(' ')[0])).toEqual(made)
  })

  test('makes a damaged artefact again and nothing else', async () => {
    const directory = temporaryFolder()
    const first = await synthesize(await synthesisRequest({ directory, settings: { environments: 1 } }))
    const damaged = Object.entries(bytesOf(directory)).find(([, text]) => text.includes('"stage":"tools"'))
    writeFileSync(join(directory, damaged![0]), damaged![1].slice(0, -10))
    const request = await synthesisRequest({ directory, settings: { environments: 1 } })
    const second = await synthesize(request)
    expect(stagesHeard(request).filter((line) => line.endsWith('made'))).toEqual(['tools library-1 made'])
    expect(JSON.stringify(second.environments)).toBe(JSON.stringify(first.environments))
  })
})

describe('an interrupted synthesis', () => {
  test('says so, keeps what was made, and the next one redoes none of it', async () => {
    const directory = temporaryFolder()
    const { hooks, calls } = counting()
    const stop = new AbortController()
    const settings = { environments: 4, maxConcurrentEnvironments: 1 }
    const request = await synthesisRequest({ directory, hooks, signal: stop.signal, settings })
    const events = (event: Parameters<typeof request.events>[0]) => {
      request.events(event)
      if (event.type === 'stage:end' && event.stage === 'tools' && event.environmentId === 'library-3') {
        stop.abort(new Error('Ctrl-C'))
      }
    }
    expect(await failureOf({ ...request, events })).toMatchObject({
      code: 'RLENV_INTERRUPTED',
      message: 'synthesis was interrupted after 2 environments',
      fix: 'Run the same command again; it goes on where this one stopped.',
    })
    expect(calls).toEqual(['library-1', 'library-2', 'library-3'])
    const next = await synthesisRequest({ directory, hooks, settings })
    const report = await synthesize(next)
    expect(calls).toEqual(['library-1', 'library-2', 'library-3', 'library-4'])
    expect(stagesHeard(next).filter((line) => line.endsWith('made'))).toEqual([
      ...['tasks', 'verifiers', 'gate'].map((stage) => `${stage} library-3 made`),
      ...stages.map((stage) => `${stage} library-4 made`),
    ])
    const whole = await synthesize(await synthesisRequest({ settings }))
    expect(JSON.stringify(report.environments)).toBe(JSON.stringify(whole.environments))
  })

  test('ends while a plugin is still working', async () => {
    const stop = new AbortController()
    const dbMiner = () => new Promise<never>(() => stop.abort(new Error('Ctrl-C')))
    const request = await synthesisRequest({ hooks: { dbMiner }, signal: stop.signal })
    expect(await failureOf(request)).toMatchObject({ code: 'RLENV_INTERRUPTED' })
  })
})
