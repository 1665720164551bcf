import { type McpEnvironmentOptions, type McpTask, mcpEnvironment } from '@rlenv/world-mcp'
import { describe, expect, test } from 'vitest'
import { addNote, notesOptions, notesServer } from './notes-server.ts'

const seen = notesServer([], { state: { tool: 'list_notes' } })

function make(task: McpTask, server: McpEnvironmentOptions['server'] = notesServer()) {
  return mcpEnvironment(notesOptions(server, [task]))
}

describe('mcpEnvironment', () => {
  test('has the tools of the server and a database without anything in it', async () => {
    const environment = await mcpEnvironment({ ...notesOptions(), name: 'Notes', description: 'Notes of a household.' })
    expect(environment).toMatchObject({
      id: 'notes',
      scenario: { name: 'Notes', description: 'Notes of a household.' },
      database: { schema: '', data: '' },
    })
    expect(environment.tools.map(({ name, effect, implementation }) => [name, effect, implementation.kind])).toEqual([
      ['add_note', 'write', 'world'],
      ['list_notes', 'read', 'world'],
      [expect.stringContaining('count_notes'), 'read', 'world'],
      [expect.stringContaining('gro_e'), 'write', 'world'],
      ['tool_reset', 'write', 'world'],
    ])
  })

  test('holds a rollout to the calls that write, where no state is shown', async () => {
    const { verifiers, tasks } = await make(addNote)
    expect(tasks[0]).toMatchObject({ id: 'notes/add', kind: 'act', gold: { answer: null } })
    expect(verifiers['notes/add']).toMatchObject({
      kind: 'checks',
      state: [],
      answer: null,
      calls: [{ tool: 'add_note', arguments: { title: 'milk' } }],
    })
  })

  test('holds a rollout to the state that the reference solution leaves, where one is shown', async () => {
    const { verifiers } = await make(addNote, seen)
    const row = { id: 1, title: 'milk', tags: '[]' }
    expect(verifiers['notes/add']).toMatchObject({
      state: [{ kind: 'insert', table: 'notes', key: row, after: row }],
      calls: [],
    })
  })

  test('takes the tools in a reference solution by the names that the server gives them', async () => {
    const { tasks } = await make({
      instruction: 'How many notes are there?',
      calls: [{ tool: 'count.notes', arguments: {} }],
      answer: 0,
    })
    expect(tasks[0]).toMatchObject({ id: 'notes/t1', kind: 'question' })
    expect(tasks[0]?.gold.calls[0]?.tool).toMatch(/^count_notes_/)
  })

  test('leaves a task to the verifier that its author names', async () => {
    const verifier = { kind: 'my-judge', rubric: 'Was it polite?' }
    const { verifiers } = await make({ instruction: 'Say hello.', verifier })
    expect(verifiers['notes/t1']).toEqual(verifier)
  })

  test.each<[string, McpTask, RegExp]>([
    ['nothing can judge', { instruction: 'Do it.' }, /notes\/t1 has no answer, no calls and no verifier/],
    [
      'has a reference solution that fails',
      { instruction: 'Twice.', calls: [...addNote.calls!, ...addNote.calls!] },
      /fails at add_note: there is a note "milk"/,
    ],
    ['calls a tool that is not there', { instruction: 'x', calls: [{ tool: 'fly', arguments: {} }] }, /calls "fly"/],
    [
      'has a reference solution without any effect',
      { instruction: 'x', calls: [{ tool: 'list_notes', arguments: {} }] },
      /changes nothing/,
    ],
  ])('refuses a task that %s', async (_what, task, message) => {
    await expect(make(task)).rejects.toMatchObject({
      code: 'RLENV_TASK_INVALID',
      message: expect.stringMatching(message),
    })
  })

  test('leaves no server behind when it fails, and says why it did', async () => {
    await expect(make(addNote, notesServer(['exit']))).rejects.toMatchObject({
      code: 'RLENV_SERVER_FAILED',
      message: expect.stringContaining('permission denied'),
    })
  })

  test('says when the tool that shows the state is not there', async () => {
    await expect(make(addNote, notesServer([], { state: { tool: 'no_such' } }))).rejects.toMatchObject({
      code: 'RLENV_SERVER_FAILED',
      message: expect.stringMatching(/no_such.*unknown tool/),
    })
  })
})
