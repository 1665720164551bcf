import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ArtifactStore } from '../../src/artifacts/artifact-store.ts'
import { writeError } from '../../src/errors/file-error.ts'
import type { ScenarioContext, Toolset } from '../../src/hooks/contexts.ts'
import type { PluginHooks } from '../../src/hooks/pipeline-hooks.ts'
import { synthesize } from '../../src/synthesis/synthesize.ts'
import { tinyScenario } from '../../src/testing/tiny-environment.ts'
import { libraryTools } from '../../src/testing/tiny-library.ts'
import { tinyHooks } from '../../src/testing/tiny-plugin.ts'
import type { DatabaseDraft } from '../../src/vocabulary/database.ts'
import type { Tool } from '../../src/vocabulary/tool.ts'
import { temporaryFolder } from '../artifacts/temporary-folder.ts'
import { failureOf, stagesHeard, synthesisRequest } from './synthesis-request.ts'

describe('what does not come through', () => {
  const brokenFor =
    (ids: readonly string[]) =>
    (draft: DatabaseDraft, context: ScenarioContext): DatabaseDraft => {
      const database = tinyHooks.dbMiner(draft, context)
      return ids.includes(context.scenario.id) ? { ...database, schema: 'CREATE TABLE members (id' } : database
    }

  test('is dropped with its stage and reason', async () => {
    const request = await synthesisRequest({ hooks: { dbMiner: brokenFor(['library-2']) } })
    const report = await synthesize(request)
    expect(report.environments.map(({ id }) => id)).toEqual(['library-1', 'library-3'])
    expect(report.dropped).toEqual([
      {
        environmentId: 'library-2',
        stage: 'database',
        reason: 'database_invalid',
        message: expect.stringContaining('schema statement 1'),
      },
    ])
    expect(report.stages[0]).toMatchObject({
      entered: 3,
      passed: 2,
      reasons: [{ reason: 'database_invalid', count: 1 }],
    })
    const ends = request.heard.filter((event) => event.type === 'environment:end')
    expect(ends.find(({ environmentId }) => environmentId === 'library-2')).toMatchObject({
      accepted: false,
      reason: expect.stringMatching(/^database: /),
    })
  })

  test('is remembered, so that the next run does not try it again', async () => {
    const directory = temporaryFolder()
    let calls = 0
    const dbMiner: typeof tinyHooks.dbMiner = (draft, context) => {
      calls++
      return brokenFor(['library-2'])(draft, context)
    }
    await synthesize(await synthesisRequest({ directory, hooks: { dbMiner } }))
    expect(calls).toBe(2 + 5)
    await synthesize(await synthesisRequest({ directory, hooks: { dbMiner } }))
    expect(calls).toBe(2 + 5)
  })

  test('is made up for by surplus scenarios', async () => {
    const scenarioSource = () => ['a', 'b', 'c', 'd', 'e'].map((id) => tinyScenario(id))
    const hooks = { scenarioSource, dbMiner: brokenFor(['a', 'd']) }
    const report = await synthesize(await synthesisRequest({ hooks, settings: { environments: 3 } }))
    expect(report.environments.map(({ id }) => id)).toEqual(['b', 'c', 'e'])
    expect(report.dropped.map(({ environmentId }) => environmentId)).toEqual(['a', 'd'])
  })

  test('ends the run when it is everything', async () => {
    const request = await synthesisRequest({ hooks: { dbMiner: brokenFor(['library-1', 'library-2', 'library-3']) } })
    expect(await failureOf(request)).toMatchObject({
      code: 'RLENV_SYNTHESIS_EMPTY',
      message: expect.stringMatching(/^none of 3 environments came through: 3 × database: database_invalid \(/),
      fix: expect.stringContaining('"database"'),
    })
  })

  test('names the tools and tasks whose loss left too few', async () => {
    const misspelt: Tool['implementation'] = { kind: 'sql', steps: [{ kind: 'rows', sql: 'SELECT nam FROM members' }] }
    const toolGenerator = (toolset: Toolset): Toolset => {
      const tools = libraryTools.map((tool) => {
        return tool.name === 'find_member' ? { ...tool, implementation: misspelt } : tool
      })
      return { ...toolset, tools }
    }
    expect(await failureOf(await synthesisRequest({ hooks: { toolGenerator } }))).toMatchObject({
      code: 'RLENV_SYNTHESIS_EMPTY',
      message: expect.stringMatching(
        /; tools and tasks dropped on the way: \d+ × tasks: gold_failed \(.*\); 3 × tools: tool_refused \(find_member: .*no such column: nam/,
      ),
    })
  })

  test('ends the run when there is no scenario', async () => {
    const request = await synthesisRequest({ hooks: { scenarioSource: () => [] } })
    expect(await failureOf(request)).toMatchObject({
      code: 'RLENV_SYNTHESIS_EMPTY',
      message: 'none of 0 environments came through: the scenario sources gave none',
    })
  })
})

describe('a plugin', () => {
  test('that throws for every scenario is named with its hook', async () => {
    const toolGenerator = () => {
      throw new Error('boom')
    }
    expect(await failureOf(await synthesisRequest({ hooks: { toolGenerator } }))).toMatchObject({
      code: 'RLENV_PLUGIN_FAILED',
      plugin: 'tiny-library',
      hook: 'toolGenerator',
      message: 'tiny-library failed in toolGenerator: boom',
    })
  })

  test('that throws now and then costs a try, not the environment', async () => {
    let calls = 0
    const taskGenerator: typeof tinyHooks.taskGenerator = (tasks, context) => {
      if (++calls === 1) throw new Error('rate limit')
      return tinyHooks.taskGenerator(tasks, context)
    }
    const report = await synthesize(await synthesisRequest({ hooks: { taskGenerator }, settings: { environments: 1 } }))
    expect(report.stages.find(({ stage }) => stage === 'tasks')).toMatchObject({ passed: 1, meanAttempts: 2 })
  })

  test('whose exception is not remembered is asked again by the next run', async () => {
    const directory = temporaryFolder()
    let down = true
    const dbMiner: typeof tinyHooks.dbMiner = (draft, context) => {
      if (down && context.scenario.id === 'library-2') throw new Error('offline')
      return tinyHooks.dbMiner(draft, context)
    }
    const first = await synthesize(await synthesisRequest({ directory, hooks: { dbMiner } }))
    expect(first.dropped).toMatchObject([{ environmentId: 'library-2', reason: 'rlenv_plugin_failed' }])
    down = false
    const second = await synthesize(await synthesisRequest({ directory, hooks: { dbMiner } }))
    expect(second.environments).toHaveLength(3)
  })

  test('that returns nothing ends the run at once', async () => {
    let calls = 0
    const dbMiner = (() => {
      calls++
    }) as unknown as typeof tinyHooks.dbMiner
    const request = await synthesisRequest({ hooks: { dbMiner }, settings: { maxConcurrentEnvironments: 1 } })
    expect(await failureOf(request)).toMatchObject({ code: 'RLENV_PLUGIN_RETURNED_NOTHING', hook: 'dbMiner' })
    expect(calls).toBe(1)
  })

  test('that is missing is named by the hook points it leaves empty', async () => {
    const hooks = { verifier: undefined, taskGenerator: undefined } as unknown as PluginHooks
    expect(await failureOf(await synthesisRequest({ hooks }))).toMatchObject({
      code: 'RLENV_HOOK_EMPTY',
      message: expect.stringMatching(/taskGenerator.*verifier/),
    })
  })

  test('that gives two scenarios one id is refused', async () => {
    const scenarioSource = () => [tinyScenario('same'), tinyScenario('same')]
    expect(await failureOf(await synthesisRequest({ hooks: { scenarioSource } }))).toMatchObject({
      code: 'RLENV_PLUGIN_RETURNED_INVALID',
      hook: 'scenarioSource',
      message: expect.stringContaining('[1].id'),
    })
  })
})

describe('an artefact folder that cannot be written to', () => {
  test('ends the run with its path', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    expect(await failureOf(await synthesisRequest({ directory: join(file, 'artifacts') }))).toMatchObject({
      code: 'RLENV_OUTPUT_UNWRITABLE',
      message: expect.stringContaining(join(file, 'artifacts')),
    })
  })
})

describe('a full disk', () => {
  /** Lets some artefacts through, then reports what Linux reports. */
  class FullDisk extends ArtifactStore {
    #left = 7

    override async put(key: string, value: unknown): Promise<void> {
      if (this.#left-- > 0) return super.put(key, value)
      throw writeError(
        `${this.directory}/${key}.json`,
        Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }),
      )
    }
  }

  test('ends the run, and what was written before it is neither lost nor redone', async () => {
    const directory = temporaryFolder()
    const settings = { maxConcurrentEnvironments: 1 }
    const request = await synthesisRequest({ directory, settings })
    expect(await failureOf({ ...request, store: new FullDisk(directory) })).toMatchObject({
      code: 'RLENV_DISK_FULL',
      fix: expect.stringContaining('what was written before is kept'),
    })
    const next = await synthesisRequest({ directory, settings })
    await synthesize(next)
    const cached = stagesHeard(next).filter((line) => line.endsWith('cached'))
    // scenarios, five stages of the first environment, the database of the second
    expect(cached).toHaveLength(7)
    expect(cached.at(-1)).toBe('database library-2 cached')
  })
})
