import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { queryTool } from '../../environment/workshop.ts'
import { library, mcpClient, serveLibrary } from '../served-library.ts'

test('an MCP client may ask in SQL of its own, sees what its calls have changed, and is told what it got wrong', async () => {
  const environment = { ...library, tools: [...library.tools, queryTool()] }
  const server = await serveLibrary({ environments: [environment] })
  const open = async () => mcpClient(server.mcpUrl((await server.broker.open({ environmentId: library.id })).handle))
  const [client, other] = [await open(), await open()]
  const { tools } = await client.listTools()
  expect(tools.find(({ name }) => name === 'query')).toMatchObject({
    annotations: { readOnlyHint: true },
    inputSchema: { properties: { sql: { type: 'string', maxLength: 4_000, contentMediaType: 'application/sql' } } },
  })
  const ask = async (asker: typeof client, sql: string) =>
    (await asker.callTool({ name: 'query', arguments: { sql } })) as CallToolResult
  const dueOn = async (asker: typeof client) => (await ask(asker, 'SELECT due_on FROM loans WHERE id = 1')).content
  const before = await dueOn(client)
  const extended = await client.callTool({ name: 'extend_loan', arguments: { loan_id: 1, days: 3 } })
  expect(extended.isError ?? false).toBe(false)
  expect(await dueOn(client)).not.toEqual(before)
  expect(await dueOn(other)).toEqual(before)
  const wrong = await ask(client, 'SELECT nobody FROM members')
  expect(wrong.isError).toBe(true)
  expect(wrong.structuredContent).toMatchObject({
    error: {
      kind: 'business_rejection',
      code: 'invalid_query',
      message: 'query: the query cannot be read: no such column: nobody',
    },
  })
})
