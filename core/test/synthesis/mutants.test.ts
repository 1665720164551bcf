import { describe, expect, test } from 'vitest'
import { mutantsOf, wrongAnswers } from '../../src/synthesis/gate/mutants.ts'
import type { RowChange } from '../../src/vocabulary/state-diff.ts'

const tables = [
  {
    name: 'orders',
    columns: [
      { name: 'id', type: 'INTEGER', notNull: true, generated: false },
      { name: 'note', type: 'TEXT', notNull: false, generated: false },
      { name: 'units', type: 'INTEGER', notNull: false, generated: false },
      { name: 'double_units', type: 'INTEGER', notNull: false, generated: true },
    ],
    primaryKey: ['id'],
    keyIsRowid: true,
    rowidName: 'rowid',
    identity: ['id'],
    strict: true,
  },
]
const key = { id: 1 }
const before = { id: 1, note: 'a', units: 3, double_units: 6 }
const after = { id: 1, note: 'a', units: 5, double_units: 10 }
const update: RowChange = { kind: 'update', table: 'orders', key, before, after }
const other: RowChange = { kind: 'delete', table: 'orders', key: { id: 2 }, before: { ...before, id: 2 } }

describe('mutantsOf', () => {
  test('undoes, drops and alters an updated row, in a column that it changed', () => {
    expect(mutantsOf([update], [], tables)).toEqual([
      { name: 'orders 1 left as it was', diff: [] },
      { name: 'orders 1 dropped', diff: [{ kind: 'delete', table: 'orders', key, before }] },
      { name: 'orders 1 altered in units', diff: [{ ...update, after: { ...after, units: 6 } }] },
    ])
  })

  test('does not alter a value back to what it was', () => {
    const back: RowChange = { ...update, before: { ...before, units: 6 } }
    expect(mutantsOf([back], [], tables)[2]?.diff).toEqual([{ ...back, after: { ...after, units: 7 } }])
  })

  test('drops an inserted row and alters it in a column that the task asked for', () => {
    const insert: RowChange = { kind: 'insert', table: 'orders', key, after }
    const calls = [{ tool: 'order', arguments: { amount: 5 } }]
    expect(mutantsOf([insert], calls, tables)).toEqual([
      { name: 'orders 1 dropped', diff: [] },
      { name: 'orders 1 altered in units', diff: [{ ...insert, after: { ...after, units: 6 } }] },
    ])
    expect(mutantsOf([insert], [], tables)[1]?.name).toBe('orders 1 altered in note')
  })

  test('keeps a deleted row, and leaves the other rows as they are in the gold state', () => {
    expect(mutantsOf([other], [], tables)).toEqual([{ name: 'orders 2 kept', diff: [] }])
    expect(mutantsOf([update, other], [], tables).map(({ diff }) => diff.length)).toEqual([1, 2, 2, 1])
  })
})

describe('wrongAnswers', () => {
  test.each([
    [7, [8]],
    ['B29', ['C30']],
    ['Az 9', ['Ba 0']],
    ['—', ['—x']],
    [true, [false]],
    [['a', 'b'], [['b']]],
    [[], [['altered']]],
    [{ total: 2, of: 3 }, [{ total: 3, of: 3 }]],
    [null, []],
  ])('%j becomes %j', (answer, wrong) => {
    expect(wrongAnswers(answer)).toEqual(wrong)
  })
})
