import { appendFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { Project, smallConfig } from './project.ts'

const imports = `import { definePlugin } from 'rlenv'\nimport { z } from 'zod'\n`
const plugin = (hooks: string) =>
  `definePlugin({ name: 'mine', options: z.strictObject({}), setup: () => (${hooks}) })()`
const project = new Project({
  'rlenv.config.ts': smallConfig(),
  'throws.config.ts': smallConfig(`plugins: [${plugin(`{ sampler: () => { throw new Error('boom') } }`)}],`, imports),
  'down.config.ts': smallConfig(
    `plugins: [${plugin(`{ world: () => ({ name: 'down', open: () => { throw new Error('no route') }, close: () => {} }) }`)}],
  rollout: { maxAttempts: 1 },`,
    imports,
  ),
})
afterAll(() => project.remove())

test('a script can tell by the exit code how a command ended', async () => {
  const codeOf = async (...args: readonly string[]) => (await project.rlenv(...args)).code
  expect(await codeOf('synth')).toBe(0)
  expect(await codeOf('train', '-c', 'throws.config.ts')).toBe(1)
  expect(await codeOf('train', '--set', 'training.stepz=1')).toBe(2)
  const [{ id }] = await project.json<[{ id: string }]>(['inspect'])
  appendFileSync(project.path('environments', id, 'tools.json'), ' ')
  expect(await codeOf('validate')).toBe(3)
  expect(await codeOf('eval', '-c', 'down.config.ts', '--base')).toBe(4)
  const stopped = await project.interrupt(['train', '--steps', '30'], ({ stderr, sent }) => {
    return sent === 0 && stderr.includes('steps 1/30') ? 'SIGINT' : null
  })
  expect(stopped.code).toBe(130)
})
