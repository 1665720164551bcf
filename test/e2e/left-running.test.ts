import { afterAll, expect, test } from 'vitest'
import { Project, smallConfig } from './project.ts'

const leavesOpen = `import { createServer } from 'node:http'
setInterval(() => undefined, 1000)
createServer().listen(0, '127.0.0.1')
`
const project = new Project({ 'rlenv.config.ts': leavesOpen + smallConfig() })
afterAll(() => project.remove())

test('a configuration that leaves a timer and a server running keeps no finished command open', async () => {
  const ended = await project.rlenv('config', '--json')
  expect(ended.code, ended.stderr).toBe(0)
  expect(JSON.parse(ended.stdout)).toMatchObject({ config: {} })
  expect(ended.stderr).toContain('ended, though a configuration or a plugin left something running: ')
  expect(ended.stderr).toContain('Timeout')
})

test('an error keeps its exit code', async () => {
  const ended = await project.rlenv('eval', '--set', 'no.such=1')
  expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('left something running')])
})
