import { describe, expect, test } from 'vitest'
import { assemblePipeline } from '../../src/plugin/assemble-pipeline.ts'
import { layer, pipelineOf, pluginOf } from './plugin-fixtures.ts'

const handler = (groups: unknown) => groups
const mends = (name: string, more = {}) => pluginOf(name, { groups: { handler, flatGroups: 'mend', ...more } })
const drops = (name: string, more = {}) => pluginOf(name, { groups: { handler, flatGroups: 'drop', ...more } })
const other = (name: string, more = {}) => pluginOf(name, { groups: { handler, ...more } })

async function orderOf(...layers: Parameters<typeof assemblePipeline>[0]): Promise<readonly string[]> {
  return (await assemblePipeline(layers)).producers('groups').map(({ name }) => name)
}

describe('a handler that mends flat groups', () => {
  test('runs before those that drop them, whatever the order of the list', async () => {
    expect(await orderOf(layer('test', [mends('replay'), drops('filter')]))).toEqual(['replay', 'filter'])
    expect(await orderOf(layer('test', [drops('filter'), mends('replay')]))).toEqual(['replay', 'filter'])
  })

  test('runs before one that a lower layer brings', async () => {
    const preset = layer('preset', [drops('filter'), other('log')])
    expect(await orderOf(preset, layer('user', [mends('replay')]))).toEqual(['replay', 'filter', 'log'])
  })

  test('moves nobody else', async () => {
    const plugins = [other('a'), drops('first'), other('b'), drops('second'), mends('replay'), other('c')]
    expect(await orderOf(layer('test', plugins))).toEqual(['a', 'replay', 'first', 'b', 'second', 'c'])
  })

  test('keeps the order of those that mend, and what it asks for itself', async () => {
    const plugins = [drops('filter'), mends('one'), mends('two'), other('early')]
    expect(await orderOf(layer('test', plugins))).toEqual(['one', 'two', 'filter', 'early'])
    const before = [other('early'), drops('filter'), mends('replay', { before: 'early' })]
    expect(await orderOf(layer('test', before))).toEqual(['replay', 'early', 'filter'])
  })

  test('cannot run behind one that drops them', async () => {
    const plugins = [mends('replay'), drops('filter', { before: 'replay' })]
    await expect(pipelineOf(plugins)).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_INVALID',
      hook: 'groups',
      message:
        'the plugins of groups cannot all have the place they ask for: replay must run before whatever drops flat ' +
        'groups; "before" stands in filter',
      fix: 'Take "before" out of one of them.',
    })
    await expect(pipelineOf([mends('replay'), drops('filter', { base: true })])).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_INVALID',
      plugin: 'filter',
      message: 'filter is the base of groups and drops the flat groups that replay would mend',
    })
  })

  test('says so in one of two words', async () => {
    await expect(pipelineOf([pluginOf('odd', { groups: { handler, flatGroups: 'repair' } })])).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_INVALID',
      plugin: 'odd',
      message: 'odd says of flat groups "repair" on groups',
      fix: 'Use "mend" or "drop", or leave flatGroups out.',
    })
  })
})
