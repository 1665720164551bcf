import fc from 'fast-check'
import type { Cell, Row, RowChange, StateDiff } from 'rlenv'
import { describe, expect, test } from 'vitest'
import { type ComparisonRules, signChanges } from '../src/change-signatures.ts'

const rules: ComparisonRules = {
  generated: new Set(['orders.id', 'lines.id']),
  rounding: { 'accounts.balance': 2 },
  references: [{ table: 'lines', column: 'order_id', target: 'orders', targetColumn: 'id' }],
}

const insert = (table: string, after: Row): RowChange => ({
  kind: 'insert',
  table,
  key: { id: after.id ?? null },
  after,
})
const order = (id: number, customer: string) => insert('orders', { id, customer })
const line = (id: number, orderId: number, item: string) => insert('lines', { id, order_id: orderId, item })
const update = (column: string, before: Cell, after: Cell): RowChange => ({
  kind: 'update',
  table: 'accounts',
  key: { id: 1 },
  before: { id: 1, [column]: before },
  after: { id: 1, [column]: after },
})
const signatures = (diff: StateDiff) =>
  signChanges(diff, rules)
    .map(({ signature }) => signature)
    .sort()

describe('signChanges', () => {
  test('does not look at keys that the database made', () => {
    expect(signatures([order(7, 'Ana')])).toEqual(signatures([order(9, 'Ana')]))
  })
  test('follows a reference to the row it points at, whatever its id', () => {
    const gold = [order(7, 'Ana'), order(8, 'Bo'), line(1, 7, 'pen'), line(2, 8, 'ink')]
    const later = [order(21, 'Bo'), order(20, 'Ana'), line(5, 21, 'ink'), line(6, 20, 'pen')]
    expect(signatures(later)).toEqual(signatures(gold))
  })
  test('tells lines of the wrong order apart', () => {
    const gold = [order(7, 'Ana'), order(8, 'Bo'), line(1, 7, 'pen')]
    expect(signatures([order(7, 'Ana'), order(8, 'Bo'), line(1, 8, 'pen')])).not.toEqual(signatures(gold))
  })
  test('tells two equal orders with one line each from one that has both lines', () => {
    const gold = [order(7, 'Ana'), order(8, 'Ana'), line(1, 7, 'pen'), line(2, 8, 'pen')]
    expect(signatures([order(7, 'Ana'), order(8, 'Ana'), line(1, 7, 'pen'), line(2, 7, 'pen')])).not.toEqual(
      signatures(gold),
    )
  })
  test('compares a reference to a row that was there before by its id', () => {
    expect(signatures([line(1, 3, 'pen')])).not.toEqual(signatures([line(1, 4, 'pen')]))
  })
  test('compares money by its declared decimals', () => {
    expect(signatures([update('balance', 10, 10.304)])).toEqual(signatures([update('balance', 10, 10.3)]))
    expect(signatures([update('balance', 10, 10.31)])).not.toEqual(signatures([update('balance', 10, 10.3)]))
  })
  test('compares other reals without the noise of floating-point sums', () => {
    expect(signatures([update('rate', 0, 0.1 + 0.2)])).toEqual(signatures([update('rate', 0, 0.3)]))
    expect(signatures([update('rate', 0, 0.3001)])).not.toEqual(signatures([update('rate', 0, 0.3)]))
  })
  test('leaves out a change that vanishes under rounding', () => {
    expect(signatures([update('balance', 10.3, 10.300001)])).toEqual([])
  })
  test('tells NULL from the empty text', () => {
    expect(signatures([update('note', 'x', null)])).not.toEqual(signatures([update('note', 'x', '')]))
  })
  test('tells the number 7 from the text "7"', () => {
    expect(signatures([update('note', 'x', 7)])).not.toEqual(signatures([update('note', 'x', '7')]))
  })
  test('compares text as NFC', () => {
    expect(signatures([update('note', 'x', 'Zoe\u0308')])).toEqual(signatures([update('note', 'x', 'Zoë')]))
  })
  test('keeps integers beyond 2^53 exact', () => {
    const big = (last: string) => signatures([update('n', 0, { $int64: `900719925474099${last}` })])
    expect(big('3')).not.toEqual(big('4'))
  })
  test('tells a deleted row without a key by its content', () => {
    const gone = (rowid: number, name: string): RowChange => ({
      kind: 'delete',
      table: 't',
      key: { rowid },
      before: { name },
    })
    expect(signatures([gone(1, 'a')])).toEqual(signatures([gone(2, 'a')]))
    expect(signatures([gone(1, 'a')])).not.toEqual(signatures([gone(1, 'b')]))
  })
  test('gives the same for any order of rows and any renumbering of their ids', () => {
    const shape = fc.array(
      fc.record({ customer: fc.constantFrom('a', 'b'), items: fc.array(fc.constantFrom('x', 'y'), { maxLength: 3 }) }),
      { minLength: 1, maxLength: 4 },
    )
    fc.assert(
      fc.property(shape, fc.integer({ min: 1, max: 50 }), fc.infiniteStream(fc.nat()), (orders, offset, ranks) => {
        const build = (shift: number) =>
          orders.flatMap(({ customer, items }, index) => [
            order(index + shift, customer),
            ...items.map((item, at) => line(100 * (index + 1) + at + shift, index + shift, item)),
          ])
        const shuffled = build(offset)
          .map((change) => ({ change, rank: ranks.next().value as number }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ change }) => change)
        expect(signatures(shuffled)).toEqual(signatures(build(1)))
      }),
    )
  })
})
