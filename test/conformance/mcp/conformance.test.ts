import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { writeBundle } from 'rlenv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fixtureEnvironment } from './fixture-environment.ts'
import { require, type Serving, tinyConfig, Workplace } from './rlenv-server.ts'

const runner = join(require.resolve('@modelcontextprotocol/conformance/package.json'), '../dist/index.js')
const place = new Workplace({ 'rlenv.config.ts': tinyConfig })
let serving: Serving

beforeAll(async () => {
  await writeBundle(fixtureEnvironment, place.path('bundles', fixtureEnvironment.id))
  serving = await place.serve('--bundle', 'bundles', '--environment', fixtureEnvironment.id)
})
afterAll(() => place.remove())

const variables = { NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'runner-hooks.mjs')).href}` }
const conformance = (...args: readonly string[]) =>
  place.run([runner, 'server', '--url', String(serving.mcp), ...args], variables)

describe('@modelcontextprotocol/conformance', () => {
  test('passes every scenario of a tools server, and fails the others for reasons that are written down', async () => {
    const baseline = join(import.meta.dirname, 'expected-failures.yml')
    const { code, stdout, stderr } = await conformance('--suite', 'all', '--expected-failures', baseline)
    expect(`${stdout}${stderr}`).toContain('dns-rebinding-protection: 2 passed, 0 failed')
    expect(code, `${stdout}${stderr}`).toBe(0)
  })

  test.each([
    'server-initialize',
    'ping',
    'tools-list',
    'tools-call-simple-text',
    'tools-call-error',
    'json-schema-2020-12',
  ])('passes %s', async (scenario) => {
    const { code, stdout, stderr } = await conformance('--scenario', scenario)
    expect(code, `${stdout}${stderr}`).toBe(0)
  })
})

describe('@modelcontextprotocol/inspector-cli', () => {
  const inspector = join(require.resolve('@modelcontextprotocol/inspector-cli/package.json'), '../build/cli.js')
  const inspect = (...args: readonly string[]) =>
    place.run([inspector, '--cli', String(serving.mcp), '--transport', 'http', ...args], variables)

  test('lists the tools and calls one', async () => {
    const listed = await inspect('--method', 'tools/list')
    const { tools } = JSON.parse(listed.stdout) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toEqual(fixtureEnvironment.tools.map(({ name }) => name))
    const called = await inspect('--method', 'tools/call', '--tool-name', 'test_simple_text')
    expect(JSON.parse(called.stdout)).toMatchObject({
      content: [{ type: 'text', text: '[{"text":"This is a simple text response for testing."}]' }],
    })
  })

  test('shows the error of a tool that refuses', async () => {
    const called = await inspect('--method', 'tools/call', '--tool-name', 'test_error_handling')
    expect(JSON.parse(called.stdout)).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'refused' } },
    })
  })
})
