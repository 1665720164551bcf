import { beforeAll, describe, expect, test } from 'vitest'
import { loadSandbox } from '../../../src/environment/sandbox/quickjs-module.ts'
import type { Tool } from '../../../src/vocabulary/tool.ts'
import { database, environment, sqlTool } from '../workshop.ts'

const scripts = {
  'tools/oldest.ts': `export default (db: any) => ({ name: db.get('SELECT name FROM t ORDER BY id').name.toUpperCase() })`,
  'tools/broken.ts': `export default () => (undefined as any).nothing`,
  'tools/nth.ts': `export default (db: any, args: { n: number }) => db.all('SELECT name FROM t ORDER BY id')[args.n].name`,
}

const script = (name: string, properties = {}): Tool => ({
  ...sqlTool(name, properties, []),
  implementation: { kind: 'script', file: `tools/${name}.ts` },
})

const world = environment(
  database('CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)', "INSERT INTO t VALUES (1, 'a'), (2, 'b')"),
  [
    script('oldest'),
    script('broken'),
    script('nth', { n: { type: 'integer' } }),
    sqlTool('clear', {}, [{ kind: 'run', sql: 'DELETE FROM t' }]),
    sqlTool('rename', { name: { type: 'string' } }, [{ kind: 'run', sql: 'UPDATE t SET name = @name' }]),
  ],
  scripts,
)

beforeAll(loadSandbox)

describe.each(['replay', 'clone'] as const)('a call that crashes on a %s instance', (strategy) => {
  const opened = () => world.open({ seed: 1, strategy })

  test('is the policy’s when it only crashes on the state that the policy made', () => {
    const instance = opened()
    expect(instance.call('oldest', {}).result).toEqual({ ok: true, content: { name: 'A' } })
    instance.call('clear', {})
    const { result, diff } = instance.call('oldest', {})
    expect(result).toMatchObject({
      error: {
        kind: 'business_rejection',
        code: 'crashed_on_changed_state',
        message: expect.stringContaining('TypeError'),
      },
    })
    expect(diff).toEqual([])
    expect(instance.diff()).toHaveLength(2)
    expect(instance.fork().call('oldest', {}).result).toEqual(result)
    instance.reset()
    expect(instance.call('oldest', {}).result.ok).toBe(true)
    instance.close()
  })

  test('is the environment’s when it crashes on the untouched image as well, whatever was done before', () => {
    const instance = opened()
    const untouched = instance.call('broken', {}).result
    expect(untouched).toMatchObject({ error: { kind: 'environment_fault' } })
    instance.call('rename', { name: 'c' })
    expect(instance.call('broken', {}).result).toEqual(untouched)
    expect(instance.call('nth', { n: 7 }).result).toMatchObject({ error: { kind: 'environment_fault' } })
    expect(instance.call('nth', { n: 1 }).result).toEqual({ ok: true, content: 'c' })
    instance.close()
  })

  test('is told apart from calls on an instance that is closed', () => {
    const instance = opened()
    instance.call('clear', {})
    instance.close()
    expect(instance.call('oldest', {}).result).toMatchObject({ error: { kind: 'environment_fault' } })
  })
})
