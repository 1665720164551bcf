import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { filesIn } from './file-tree.ts'
import { type Failure, Project, smallConfig } from './project.ts'

const imports = `import { definePlugin } from 'rlenv'\nimport { z } from 'zod'\n`

/** A configuration with one more plugin, whose hooks are TypeScript text. */
function withPlugin(hooks: string, more = ''): string {
  const plugin = `definePlugin({ name: 'faulty', options: z.strictObject({}), setup: () => (${hooks}) })()`
  return smallConfig(`plugins: [${plugin}], ${more}`, imports)
}

const afterTasks = (handler: string) => `{ taskGenerator: { order: 'post', handler: ${handler} } }`
/** Throws in the second training step. */
const secondStep = `(() => { let step = 0; return { groups: (groups) => { if (++step === 2) throw new Error('boom'); return groups } } })()`

const project = new Project({ 'rlenv.config.ts': smallConfig() })
beforeAll(() => project.json(['synth']))
afterAll(() => project.remove())

describe('synthesis ends with exit code 1 and names plugin and hook when a plugin', () => {
  test('throws from a chain, with its own words', async () => {
    project.write('throws.config.ts', withPlugin(afterTasks(`() => { throw new Error('no more ideas') }`)))
    const error = await project.failure(['synth', '-c', 'throws.config.ts', '-n', '2'], 1)
    expect(error).toMatchObject({ code: 'RLENV_PLUGIN_FAILED', plugin: 'faulty', hook: 'taskGenerator' })
    expect(error.message).toContain('no more ideas')
    expect(error.fix).not.toBeNull()
  })
  test('returns undefined from a chain', async () => {
    project.write('undefined.config.ts', withPlugin(afterTasks('() => {}')))
    const error = await project.failure(['synth', '-c', 'undefined.config.ts', '-n', '2'], 1)
    expect(error).toMatchObject({ code: 'RLENV_PLUGIN_RETURNED_NOTHING', plugin: 'faulty', hook: 'taskGenerator' })
    expect(error.fix).toContain('Return the tasks')
  })
  test('never settles, after saying whom it waits for', async () => {
    const watchdog = 'watchdog: { warnAfterMs: 200, stopAfterMs: 1500 },'
    project.write('stalls.config.ts', withPlugin(afterTasks('() => new Promise(() => {})'), watchdog))
    const { code, stdout, stderr } = await project.rlenv('synth', '-c', 'stalls.config.ts', '-n', '1', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'RLENV_PLUGIN_STALLED', plugin: 'faulty', hook: 'taskGenerator' },
    })
    expect(stderr).toMatch(/still waiting for .*faulty.*taskGenerator/)
  })
})

describe('training ends with exit code 1 and names plugin and hook when a plugin', () => {
  test('throws in the second step, and the first one stays whole on disk', async () => {
    project.write('late.config.ts', withPlugin(secondStep))
    const error = await project.failure(['train', '-c', 'late.config.ts'], 1)
    expect(error).toMatchObject({ code: 'RLENV_PLUGIN_FAILED', plugin: 'faulty', hook: 'groups' })
    const run = project.runDirectories()[0] ?? ''
    const traces = filesIn(run).filter((path) => path.endsWith('all/traces.jsonl'))
    expect(traces).toContain('rollouts/step_0/train/all/traces.jsonl')
    for (const path of traces)
      for (const line of linesOf(`${run}/${path}`)) expect(() => JSON.parse(line)).not.toThrow()
    expect(JSON.parse(readFileSync(`${run}/metadata.json`, 'utf8')).attempts).toEqual([
      expect.objectContaining({ status: 'failed' }),
    ])
  })
  test('returns undefined as the reward', async () => {
    project.write('no-reward.config.ts', withPlugin(`{ rewardShaper: { order: 'post', handler: () => undefined } }`))
    const error = await project.failure(['train', '-c', 'no-reward.config.ts'], 1)
    expect(error).toMatchObject({ code: 'RLENV_PLUGIN_RETURNED_NOTHING', plugin: 'faulty', hook: 'rewardShaper' })
  })
  test('gives no object for its slot', async () => {
    project.write('no-sampler.config.ts', withPlugin('{ sampler: () => undefined }'))
    const error = await project.failure(['train', '-c', 'no-sampler.config.ts'], 1)
    expect(error).toMatchObject({ plugin: 'faulty', hook: 'sampler' })
  })
  test('never settles', async () => {
    const stalls = withPlugin('{ groups: () => new Promise(() => {}) }', 'watchdog: { stopAfterMs: 1500 },')
    project.write('stalls.config.ts', stalls)
    const error = await project.failure(['train', '-c', 'stalls.config.ts'], 1)
    expect(error).toMatchObject({ code: 'RLENV_PLUGIN_STALLED', plugin: 'faulty', hook: 'groups' })
  })
})

test('a watcher that throws is reported once and stops nothing', async () => {
  project.write('watch.config.ts', withPlugin(`{ watch: () => { throw new Error('deaf') } }`))
  const { code, stderr } = await project.rlenv('train', '-c', 'watch.config.ts', '--set', 'training.steps=1')
  expect(code).toBe(0)
  expect(stderr).toContain('deaf')
})

test('a reward that cannot be computed leaves its rollout unscored; too many of them end training with exit code 4', async () => {
  const throws = `{ rewardShaper: { order: 'post', handler: () => { throw new Error('no reward model') } } }`
  project.write('reward.config.ts', withPlugin(throws))
  const { code, stdout, stderr } = await project.rlenv('train', '-c', 'reward.config.ts', '--json')
  expect(code).toBe(4)
  const { error } = JSON.parse(stdout) as Failure
  expect(error).toMatchObject({ code: 'RLENV_FAILURE_SHARE' })
  expect(error.message).toContain('faulty failed in rewardShaper: no reward model')
  expect(stderr.match(/could not be shaped/g)?.length).toBe(3)
  expect(stderr).not.toMatch(/\n +at /)
})

test('environments that cannot be opened end evaluation with exit code 4 and the share that failed', async () => {
  const world = `{ world: () => ({ name: 'down', open: () => { throw new Error('no route to the world') }, close: () => {} }) }`
  project.write('down.config.ts', withPlugin(world, 'rollout: { maxAttempts: 1 },'))
  const error = await project.failure(['eval', '-c', 'down.config.ts', '--base'], 4)
  expect(error).toMatchObject({ code: 'RLENV_FAILURE_SHARE' })
  expect(error.message).toMatch(/100|1\.0/)
})

function linesOf(path: string): readonly string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
}
