import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import type { Verdict } from '../../src/vocabulary/outcome.ts'
import type { StateDiff } from '../../src/vocabulary/state-diff.ts'
import { control, library, mcpClient, type OpenedSession, serveLibrary } from './served-library.ts'

const [task] = library.tasks

interface Verified {
  readonly verdict: Verdict
}
interface State {
  readonly diff: StateDiff
}

test('a task is solved by hand through an ordinary MCP client and found passed by the control plane', async () => {
  const server = await serveLibrary()
  const { status, body: opened } = await control<OpenedSession>(server, 'POST', '/sessions', {
    environmentId: library.id,
    taskId: task!.id,
  })
  expect(status).toBe(201)
  const client = await mcpClient(opened.mcp)
  expect(client.getInstructions()).toBe(task!.instruction)
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(library.tools.map(({ name }) => name))

  const at = `/sessions/${opened.handle}`
  const untouched = await control<Verified>(server, 'POST', `${at}/verify`, { answer: null })
  expect(untouched.body.verdict.passed).toBe(false)
  for (const { tool, arguments: args } of task!.gold.calls) {
    const result = (await client.callTool({ name: tool, arguments: { ...args } })) as CallToolResult
    expect(result.isError).toBeUndefined()
  }
  const answer = task!.gold.answer === null ? null : String(task!.gold.answer)
  const { body: verified } = await control<Verified>(server, 'POST', `${at}/verify`, { answer })
  expect(verified.verdict).toMatchObject({ kind: 'passed', passed: true })
  expect((await control<State>(server, 'POST', `${at}/capture`, {})).body.diff).not.toEqual([])

  await control(server, 'POST', `${at}/reset`)
  expect((await control<State>(server, 'POST', `${at}/capture`, {})).body.diff).toEqual([])
  expect((await control(server, 'DELETE', at)).body).toEqual({ closed: true })
  expect(server.broker.counts).toMatchObject({ taken: 0, open: 0, opened: 1, closed: 1 })
})
