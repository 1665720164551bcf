import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JudgedTrajectory } from 'rlenv'
import { afterAll, describe, expect, test } from 'vitest'
import { Project } from '../../e2e/project.ts'

const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/world-from-mcp.md'), 'utf8')
const servers = join(import.meta.dirname, '../../../node_modules/@modelcontextprotocol')

/** The named snippets of the guide; its servers are the installed ones instead of what npx would download. */
function files(): Record<string, string> {
  const named = [...guide.matchAll(/^```ts\n\/\/ ([\w.-]+\.ts)\n([\s\S]*?)^```$/gm)]
  const texts = named.map(([, name = '', body = '']) => {
    const installed = body
      .replace("command: 'npx'", 'command: process.execPath')
      .replace(
        /args: \['-y', `@modelcontextprotocol\/server-(\S+)`, /,
        `args: [\`${servers}/server-$1/dist/index.js\`, `,
      )
    return [name, installed]
  })
  return Object.fromEntries(texts)
}

const project = new Project({
  'package.json': '{ "type": "module" }',
  'inventory/stock.csv': 'item,count\nlamp,12\n',
  ...files(),
})
afterAll(() => project.remove())

describe('the guide', () => {
  test('does what it says: the first task passes, the other two fail', async () => {
    expect(project.read('environments.ts')).toContain(servers)
    const { rollouts } = await project.json<{ rollouts: readonly JudgedTrajectory[] }>(['rollout', '-n', '3'])
    expect(rollouts.map(({ trajectory, verdict }) => [trajectory.environmentId, verdict?.passed])).toEqual([
      ['everything', true],
      ['inventory', false],
      ['memory', false],
    ])
  })

  test('evaluates all of it', async () => {
    const report = await project.json(['eval', '--split', 'all'])
    expect(report).toMatchObject({ environments: 3, tasks: 3, sampled: { errors: {} } })
  })
})
