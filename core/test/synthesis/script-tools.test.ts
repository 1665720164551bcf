import { expect, test } from 'vitest'
import type { Toolset } from '../../src/hooks/contexts.ts'
import { synthesize } from '../../src/synthesis/synthesize.ts'
import { tinyHooks } from '../../src/testing/tiny-plugin.ts'
import type { Tool } from '../../src/vocabulary/tool.ts'
import { synthesisRequest } from './synthesis-request.ts'

const countBooks: Tool = {
  name: 'count_books',
  summary: 'Count the books',
  description: 'How many titles the library has.',
  inputSchema: { type: 'object', properties: {} },
  outputSchema: { type: 'integer' },
  effect: 'read',
  tables: ['books'],
  errors: [],
  implementation: { kind: 'script', file: 'tools/count_books.ts' },
}
const source = "export default (db: { get(sql: string): { n: number } }) => db.get('SELECT count(*) AS n FROM books').n"

test('an environment with a script tool goes through every stage and the gate', async () => {
  const hooks = {
    ...tinyHooks,
    toolGenerator: (toolset: Toolset) => {
      const { tools, scripts } = tinyHooks.toolGenerator(toolset)
      return { tools: [...tools, countBooks], scripts: { ...scripts, 'tools/count_books.ts': source } }
    },
  }
  const { environments, dropped } = await synthesize(await synthesisRequest({ hooks }))
  expect(dropped).toEqual([])
  expect(environments.map(({ tools }) => tools.at(-1)?.name)).toEqual(['count_books', 'count_books', 'count_books'])
})
