import { expect, test } from 'vitest'
import { parseCutJson } from '../../src/transcript/json-text.ts'
import { readObservation } from '../../src/transcript/observation.ts'

test('reads a row, a list of rows, and a list inside an object', () => {
  expect(readObservation('{"id":1,"name":"Ann","tags":["a"]}').rows).toEqual([
    { keys: ['id', 'name'], cells: [1, 'Ann'] },
  ])
  expect(readObservation('[{"id":1},{"id":2}]').rows).toHaveLength(2)
  expect(readObservation('{"rows":[{"id":1},{"id":2}],"more":true}').rows).toHaveLength(2)
})

test('tells an error from an empty result', () => {
  expect(readObservation('{"error":{"code":"not_found","message":"x"}}')).toEqual({ failed: true, rows: [] })
  expect(readObservation('[]')).toEqual({ failed: false, rows: [] })
  expect(readObservation('all fine')).toEqual({ failed: false, rows: [] })
})

test('keeps the whole elements of a list that was cut off', () => {
  const text = '[{"id":1,"note":"a ] } \\" b"},{"id":2,"in":[1,{"x":2}]},{"id":3,"no'
  expect(parseCutJson(`${text}\n[12 of 90 characters are missing here; ask for less]`)).toEqual([
    { id: 1, note: 'a ] } " b' },
    { id: 2, in: [1, { x: 2 }] },
  ])
})

test('gives undefined for text that is no JSON', () => {
  expect(parseCutJson('[not json')).toBeUndefined()
  expect(parseCutJson('hello')).toBeUndefined()
})
