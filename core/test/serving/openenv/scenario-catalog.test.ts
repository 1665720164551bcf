import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ScenarioCatalog, scenarioKey } from '../../../src/serving/openenv/scenario-catalog.ts'
import { tinyEnvironment } from '../../../src/testing/index.ts'

/** As AWM's files are joined: lower case, other characters to `_`, runs collapsed, ends stripped. */
function referenceKey(name: string): string {
  const replaced = [...name.toLowerCase()].map((letter) => (/[a-z0-9_]/.test(letter) ? letter : '_')).join('')
  return replaced.split('_').filter(Boolean).join('_')
}

describe('scenario names', () => {
  it.each([
    ['Twitter/X', 'twitter_x'],
    ['e_commerce_33', 'e_commerce_33'],
    ['library-1', 'library_1'],
    ['__A  b--C__', 'a_b_c'],
    ['C++', 'c'],
    ['図書館', ''],
  ])('%j is %j', (name, key) => {
    expect(scenarioKey(name)).toBe(key)
  })

  it('are normalised as the reference does, and once is enough', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(scenarioKey(name)).toBe(referenceKey(name))
        expect(scenarioKey(scenarioKey(name))).toBe(scenarioKey(name))
      }),
    )
  })
})

describe('the catalogue', () => {
  const [one, two] = [tinyEnvironment({ id: 'library-1' }), tinyEnvironment({ id: 'library-2', seed: 7 })]
  const catalog = new ScenarioCatalog([one, two])

  it('finds environments by id and by title, the first of two with one title', () => {
    expect(catalog.scenario('LIBRARY 2')).toBe(two)
    expect(catalog.scenario('village library')).toBe(one)
    expect(catalog.scenario('')).toBeUndefined()
  })

  it('lets no title hide an id', () => {
    const sly = { ...one, id: 'sly', scenario: { ...one.scenario, name: 'Library 2' } }
    expect(new ScenarioCatalog([sly, two]).scenario('library_2')).toBe(two)
  })

  it('numbers the tasks of all environments, and those of one', () => {
    expect([0, 3, 4, 8].map((number) => catalog.pick(number)?.task?.id)).toEqual([
      'library-1/lend',
      'library-1/shelf',
      'library-2/lend',
      'library-1/lend',
    ])
    expect(catalog.pick(6, two)?.task?.id).toBe('library-2/promote')
    expect(new ScenarioCatalog([]).pick(0)).toBeUndefined()
    expect(catalog.pick(0, { ...one, tasks: [] })).toMatchObject({ task: null, index: null })
  })
})
