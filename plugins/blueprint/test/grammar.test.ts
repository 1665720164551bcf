import { seedList } from '@rlenv/blueprint'
import { describe, expect, test } from 'vitest'
import { domainList } from '../src/grammar/domain-list.ts'
import { fieldDictionary } from '../src/grammar/fields.ts'
import { stateDictionary } from '../src/grammar/states.ts'
import { actForms } from '../src/plan/plan-entity.ts'
import { seedNouns } from '../src/scenarios.ts'

const repeated = (values: readonly string[]) => values.filter((value, index) => values.indexOf(value) !== index)
const entities = domainList.flatMap((domain) => domain.entities.map((entity) => ({ domain, entity })))

describe('the shipped seeds', () => {
  test('are 100 applications with ids, names and descriptions of their own', () => {
    expect(seedList).toHaveLength(100)
    for (const part of ['id', 'name', 'description'] as const) {
      expect(repeated(seedList.map((seed) => seed[part]))).toEqual([])
    }
  })
  test('begin with one of every domain', () => {
    const first = seedList.slice(0, domainList.length).map((seed) => seed.domain)
    expect([...first].sort()).toEqual(domainList.map((domain) => domain.key).sort())
  })
  test.each(seedList)('$id renames entities that its domain has, to words that no other entity of it uses', (seed) => {
    const domain = domainList.find(({ key }) => key === seed.domain)
    const keys = domain?.entities.map((entity) => entity.key) ?? []
    expect(Object.keys(seed.nouns).filter((key) => !keys.includes(key))).toEqual([])
    const nouns = domain?.entities.flatMap((entity) => seedNouns(seed.id)[entity.key] ?? entity.nouns) ?? []
    expect(repeated(nouns)).toEqual([])
  })
})

describe('the domains', () => {
  test.each(domainList)('$key has 9 or 10 entities, at least 6 of them always there', ({ entities: all }) => {
    expect(all.length).toBeGreaterThanOrEqual(9)
    expect(all.length).toBeLessThanOrEqual(10)
    expect(repeated(all.map(({ key }) => key))).toEqual([])
  })
  test.each(domainList)('$key always offers every kind of act', ({ entities: all }) => {
    const kinds = all.filter((entity) => !entity.optional).flatMap((entity) => entity.acts.map((act) => act.kind))
    expect(new Set(kinds)).toEqual(new Set(['status', 'adjust', 'assign', 'transfer']))
  })
  test.each(entities)('$domain.key $entity.key refers to what there is', ({ domain, entity }) => {
    const keys = domain.entities.map(({ key }) => key)
    expect(entity.refs.filter((ref) => !keys.includes(ref) || ref === entity.key)).toEqual([])
    for (const act of entity.acts) {
      if (act.kind === 'status')
        expect([...act.from, act.to].filter((state) => !entity.states.includes(state))).toEqual([])
      else if (act.kind === 'assign') expect(entity.refs).toContain(act.ref)
      else expect(entity.fields).toContain(act.field)
    }
    expect(repeated(entity.fields)).toEqual([])
  })
  test.each(entities)('$domain.key $entity.key has no state or act that words could confuse', ({ entity }) => {
    expect(repeated(entity.states.flatMap((state) => stateDictionary[state]))).toEqual([])
    for (const kind of ['status', 'adjust', 'assign', 'transfer'] as const) {
      const acts = entity.acts.filter((act) => act.kind === kind)
      const words = acts.flatMap((act) =>
        actForms(act).map((form) => `${form.words} ${'field' in act ? act.field : 'ref' in act ? act.ref : ''}`),
      )
      expect(repeated(words)).toEqual([])
    }
  })
  test.each(entities)('$domain.key $entity.key can be reached: it has a name or an owner', ({ entity }) => {
    expect(entity.label !== 'none' || entity.refs.length > 0).toBe(true)
  })
})

test('no field has a name that is a name of another field of the same entity', () => {
  for (const { entity } of entities) {
    const names = entity.fields.flatMap((key) => fieldDictionary[key].names)
    expect([entity.key, repeated(names)]).toEqual([entity.key, []])
  }
})
