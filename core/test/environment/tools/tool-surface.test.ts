import { describe, expect, test } from 'vitest'
import { PolicyNames } from '../../../src/environment/tools/policy-names.ts'
import { metaSurface, routeCall, surfaceTools } from '../../../src/environment/tools/tool-surface.ts'
import type { WorldInstance } from '../../../src/hooks/world.ts'
import type { Json } from '../../../src/vocabulary/json.ts'
import { workshop } from '../workshop.ts'

const { signal } = new AbortController()

describe('routeCall', () => {
  test('reaches one tool runner from both surfaces', async () => {
    const world = workshop().open({ seed: 0 })
    const direct = await routeCall(world, 'direct', 'write_log', { message: 'a' }, signal)
    const meta = await routeCall(world, 'meta', 'call_tool', { tool_name: 'trim_log', arguments: {} }, signal)
    expect(direct).toMatchObject({
      serverName: 'write_log',
      arguments: { message: 'a' },
      outcome: { result: { ok: true } },
    })
    expect(meta).toMatchObject({
      serverName: 'trim_log',
      arguments: {},
      outcome: { result: { content: { changes: 1 } } },
    })
    expect(await routeCall(world, 'meta', 'call_tool', { tool_name: 'list_big_orders' }, signal)).toMatchObject({
      outcome: { result: { content: [{ id: 2, cents: 2500 }] } },
    })
    world.close()
  })

  test('lists names, descriptions and schemas of all tools', async () => {
    const world = workshop().open({ seed: 0 })
    const { serverName, outcome } = await routeCall(world, 'meta', 'list_tools', {}, signal)
    expect(serverName).toBe(null)
    const listed = outcome.result.ok ? (outcome.result.content as readonly Json[]) : []
    expect(listed).toHaveLength(world.tools.length)
    expect(listed[0]).toEqual({
      name: 'add_customer',
      description: 'Runs add_customer.',
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string' }, email: { type: ['string', 'null'] } },
        required: ['name', 'email'],
        additionalProperties: false,
      },
      readOnly: false,
    })
    world.close()
  })

  test.each(['verify', 'reset', 'done', 'state', 'close', 'list_tools', 'call_tool'])(
    'knows no tool %s on either surface',
    async (name) => {
      const world = workshop().open({ seed: 0 })
      const unknown = {
        serverName: null,
        outcome: { result: { ok: false, error: { kind: 'unknown_tool' } }, diff: [] },
      }
      expect(await routeCall(world, 'direct', name, {}, signal)).toMatchObject(unknown)
      expect(await routeCall(world, 'meta', 'call_tool', { tool_name: name }, signal)).toMatchObject(unknown)
      if (!metaSurface.some((tool) => tool.name === name))
        expect(await routeCall(world, 'meta', name, {}, signal)).toMatchObject(unknown)
      world.close()
    },
  )

  test('refuses arguments that the meta tools do not have', async () => {
    const world = workshop().open({ seed: 0 })
    for (const [name, args] of [
      ['list_tools', { verbose: true }],
      ['call_tool', {}],
      ['call_tool', { tool_name: 'trim_log', arguments: '{}' }],
    ] as const) {
      expect(await routeCall(world, 'meta', name, args, signal)).toMatchObject({
        serverName: null,
        outcome: { result: { error: { kind: 'invalid_arguments' } } },
      })
    }
    world.close()
  })

  test('reaches a tool under its own name when a policy knows it by a safer one', async () => {
    const reached: string[] = []
    const remote: WorldInstance = {
      tools: [{ name: 'stock.count', description: 'Counts.', inputSchema: { type: 'object' }, readOnly: true }],
      call: async (name) => {
        reached.push(name)
        return { result: { ok: true, content: 1 }, diff: [] }
      },
      capture: () => null,
      close: () => {},
    }
    const [offered] = surfaceTools(remote, 'direct')
    expect(await routeCall(remote, 'direct', offered?.name ?? '', {}, signal)).toMatchObject({
      serverName: 'stock.count',
      outcome: { result: { content: 1 } },
    })
    expect(reached).toEqual(['stock.count'])
  })
})

describe('PolicyNames', () => {
  const long = 'a_very_long_tool_name_that_goes_on_about_warehouses_and_shelves_and_more_v'
  const names = ['stock.count', 'stock_count', 'größe', `${long}1`, `${long}2`, 'plan', '…']

  test('gives every tool a safe name of its own, whatever the order, and leads back', () => {
    const one = new PolicyNames(names)
    const other = new PolicyNames([...names].reverse())
    const seen = names.map((name) => one.policyName(name) as string)
    for (const name of seen) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(new Set(seen).size).toBe(names.length)
    expect(names.map((name) => other.policyName(name))).toEqual(seen)
    expect(seen.map((name) => one.serverName(name))).toEqual(names)
    expect(one.policyName('plan')).toBe('plan')
  })

  test('refuses two tools under one name, naming both', () => {
    const taken = new PolicyNames(['stock.count']).policyName('stock.count') as string
    expect(() => new PolicyNames(['stock.count', taken])).toThrow(/stock\.count and stock_count_/)
  })
})
