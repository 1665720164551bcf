import { appendFileSync } from 'node:fs'
import { type Environment, readBundle, writeBundle } from 'rlenv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Project, smallConfig } from './project.ts'

interface Validated {
  readonly status: string
  readonly environments: readonly {
    readonly environmentId: string
    readonly status: string
    readonly message?: string
    readonly findings: readonly Finding[]
    readonly tools: readonly { readonly name: string; readonly findings: readonly Finding[] }[]
    readonly tasks: readonly { readonly id: string; readonly findings: readonly Finding[] }[]
  }[]
}

interface Finding {
  readonly code: string
  readonly message: string
}

const project = new Project({ 'rlenv.config.ts': smallConfig() })
let sound: Environment

beforeAll(async () => {
  const { environments } = await project.json<{ environments: { id: string }[] }>(['synth', '-n', '1'])
  sound = await readBundle(project.path('environments', environments[0]!.id))
})
afterAll(() => project.remove())

/** What the gate says of an environment that someone has altered. */
async function gateOf(folder: string, altered: Environment) {
  await writeBundle(altered, project.path(folder, altered.id))
  const { status, environments } = await project.json<Validated>(['validate', folder], 3)
  expect(status).toBe('invalid')
  return environments[0]!
}

describe('rlenv validate ends with exit code 3 and says what is wrong with', () => {
  test('a task whose goal already holds', async () => {
    const [first] = sound.tasks
    const stored = sound.verifiers[first!.id]!
    const verifiers = { ...sound.verifiers, [first!.id]: { ...stored, state: [], answer: null } }
    const report = await gateOf('holds', { ...sound, verifiers })
    const task = report.tasks.find(({ id }) => id === first!.id)
    expect(task?.findings.map(({ code }) => code)).toContain('holds_untouched')
    expect(task?.findings[0]?.message).toContain('the goal holds already')
  })
  test('rows that break a foreign key, by table and row', async () => {
    const parent = /CREATE TABLE "?(\w+)"?/i.exec(sound.database.schema)![1]
    const schema = `${sound.database.schema}\nCREATE TABLE orphans (id INTEGER PRIMARY KEY, parent TEXT REFERENCES "${parent}") STRICT;\n`
    const data = `${sound.database.data}\nINSERT INTO orphans (id, parent) VALUES (41, 'nowhere');\n`
    const report = await gateOf('orphan', { ...sound, database: { ...sound.database, schema, data } })
    expect(report.findings).toEqual([expect.objectContaining({ code: 'database_invalid' })])
    expect(report.findings[0]?.message).toContain('orphans')
    expect(report.findings[0]?.message).toContain(parent)
  })
  test('a tool with a reserved name', async () => {
    const tools = sound.tools.map((tool, index) => (index === 0 ? { ...tool, name: 'reset' } : tool))
    const report = await gateOf('reserved', { ...sound, tools })
    const tool = report.tools.find(({ name }) => name === 'reset')
    expect(tool?.findings).toEqual([expect.objectContaining({ code: 'tool_reserved_name' })])
  })
  test('a bundle that was edited by hand, which the others beside it do not suffer from', async () => {
    await writeBundle(sound, project.path('edited', sound.id))
    const other = { ...sound, id: 'untouched' }
    const tasks = sound.tasks.map((task) => own(task, sound.id, other.id))
    const verifiers = Object.entries(sound.verifiers).map(([id, stored]) => [id.replace(sound.id, other.id), stored])
    const scenario = { ...sound.scenario, id: other.id }
    await writeBundle(
      { ...other, scenario, tasks, verifiers: Object.fromEntries(verifiers) },
      project.path('edited/untouched'),
    )
    appendFileSync(project.path('edited', sound.id, 'data.sql'), '-- edited\n')
    const { environments } = await project.json<Validated>(['validate', 'edited'], 3)
    expect(environments.map(({ environmentId, status }) => [environmentId, status]).sort()).toEqual(
      [
        [sound.id, 'error'],
        ['untouched', 'valid'],
      ].sort(),
    )
    expect(environments.find(({ status }) => status === 'error')?.message).toContain('data.sql')
    const error = await project.failure(['inspect', sound.id, '--from', 'edited'], 3)
    expect(error).toMatchObject({ code: 'RLENV_BUNDLE_INVALID' })
    expect(error.message).toContain('data.sql')
    expect(error.fix).not.toBeNull()
  })
})

test('rlenv validate accepts what rlenv synth wrote', async () => {
  expect(await project.json(['validate'])).toMatchObject({ status: 'valid', valid: 1 })
})

test('a plugin’s task whose goal already holds is dropped at the gate, with its name and the reason', async () => {
  const idle = `definePlugin({
    name: 'idle-task',
    options: z.strictObject({}),
    setup: () => ({
      taskGenerator: {
        order: 'post',
        handler: (tasks) => [...tasks, {
          ...tasks[0], id: tasks[0].environmentId + '/idle', instruction: 'Leave everything as it is.', gold: { calls: [], answer: null },
        }],
      },
    }),
  })()`
  const config = smallConfig(`plugins: [${idle}],`, `import { definePlugin } from 'rlenv'\nimport { z } from 'zod'\n`)
  project.write('idle.config.ts', config)
  const report = await project.json<{
    stages: { stage: string; droppedItems: { reason: string; example: string }[] }[]
    environments: { tasks: number }[]
  }>(['synth', '-c', 'idle.config.ts', '-n', '1', '--out', 'idle'])
  const dropped = report.stages.flatMap(({ droppedItems }) => droppedItems)
  expect(dropped).toContainEqual(expect.objectContaining({ reason: 'gold_without_effect' }))
  expect(report.environments[0]?.tasks).toBe(6)
})

test('an environment that does not exist is refused with the one that it is near to', async () => {
  const misspelt = `${sound.id.slice(0, -1)}x`
  const error = await project.failure(['inspect', misspelt], 2)
  expect(error).toMatchObject({ code: 'RLENV_USAGE' })
  expect(error.fix).toContain(sound.id)
})

test('a folder without bundles is refused with what to do first', async () => {
  const error = await project.failure(['validate', 'nowhere'], 2)
  expect(error).toMatchObject({ code: 'RLENV_USAGE' })
  expect(error.fix).toContain('rlenv synth')
})

function own(task: Environment['tasks'][number], from: string, to: string): Environment['tasks'][number] {
  return { ...task, id: task.id.replace(from, to), environmentId: to }
}
