import { expect, test } from 'vitest'
import type { Toolset } from '../../src/hooks/contexts.ts'
import { synthesize } from '../../src/synthesis/synthesize.ts'
import { tinyHooks } from '../../src/testing/tiny-plugin.ts'
import { countBooks, countBooksSource } from './count-books.ts'
import { synthesisRequest } from './synthesis-request.ts'

test('an environment with a script tool goes through every stage and the gate', async () => {
  const hooks = {
    ...tinyHooks,
    toolGenerator: (toolset: Toolset) => {
      const { tools, scripts } = tinyHooks.toolGenerator(toolset)
      return { tools: [...tools, countBooks], scripts: { ...scripts, 'tools/count_books.ts': countBooksSource } }
    },
  }
  const { environments, dropped } = await synthesize(await synthesisRequest({ hooks }))
  expect(dropped).toEqual([])
  expect(environments.map(({ tools }) => tools.at(-1)?.name)).toEqual(['count_books', 'count_books', 'count_books'])
})
