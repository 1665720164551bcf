import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { fromCell, fromJson } from '../../../src/environment/sqlite/cell.ts'

const database = new Database(':memory:')
database.exec('CREATE TABLE notes (note TEXT)')
const stored = (value: unknown) => database.prepare('INSERT INTO notes VALUES (?) RETURNING note').pluck().get(value)

test.each([
  [7, '7'],
  [-0, '0'],
  [2 ** 53, '9007199254740992'],
  [-(2 ** 62), '-4611686018427387904'],
  [1.5, '1.5'],
])('the number %d reads %s in a text column, never with a ".0"', (value, text) => {
  expect(stored(fromJson(value))).toBe(text)
  expect(stored(fromCell(value))).toBe(text)
})
