import { describe, expect, test } from 'vitest'
import { schemaReferences } from '../src/schema-references.ts'

describe('schemaReferences', () => {
  test('reads column constraints, table constraints, quoted names and comments', () => {
    const schema = `
      -- CREATE TABLE ghost (x REFERENCES nothing (y));
      CREATE TABLE "order items" ("id" INTEGER PRIMARY KEY, "order id" INTEGER NOT NULL REFERENCES "orders" ("id") ON DELETE CASCADE,
        note TEXT DEFAULT 'REFERENCES x (y), FOREIGN KEY', qty INTEGER CHECK (qty > 0 AND (qty < 10)),
        sku TEXT, CONSTRAINT fk FOREIGN KEY (sku) REFERENCES [products] (\`code\`)) STRICT;
      CREATE INDEX i ON "order items" ("order id");
      CREATE TABLE IF NOT EXISTS main.notes (id INTEGER PRIMARY KEY, parent REFERENCES notes);`
    expect(schemaReferences(schema)).toEqual([
      { table: 'order items', column: 'order id', target: 'orders', targetColumn: 'id' },
      { table: 'order items', column: 'sku', target: 'products', targetColumn: 'code' },
      { table: 'notes', column: 'parent', target: 'notes', targetColumn: '' },
    ])
  })
  test('passes over keys of several columns, which no generated id can be', () => {
    expect(schemaReferences('CREATE TABLE a (x INT, y INT, FOREIGN KEY (x, y) REFERENCES b (x, y))')).toEqual([])
  })
  test('ends on a schema that is cut off', () => {
    const found = [{ table: 'a', column: 'x', target: 'b', targetColumn: '' }]
    expect(schemaReferences('CREATE TABLE a (x INT REFERENCES b (')).toEqual(found)
  })
})
