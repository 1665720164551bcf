import { describe, expect, test } from 'vitest'
import { database, environment } from '../workshop.ts'

const schema = `
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id) ON DELETE SET NULL,
  number TEXT UNIQUE, status TEXT, total INTEGER, token INTEGER DEFAULT (random()));
CREATE INDEX orders_by_customer ON orders (customer_id);
CREATE TABLE items (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders (id) ON DELETE CASCADE, price INTEGER);
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE codes (code TEXT PRIMARY KEY, uses INTEGER);
CREATE TABLE old_codes (code TEXT PRIMARY KEY, uses INTEGER);
CREATE TABLE staff (id INTEGER PRIMARY KEY, boss_id INTEGER REFERENCES staff (id) ON DELETE SET NULL);
`

const orderMatters = (sql: string, more = ''): unknown => {
  const admission = environment(database(schema + more)).registry.admit(sql)
  return admission.ok ? admission.statement.orderMatters : admission.faults
}

describe('the order of rows', () => {
  test.each([
    'INSERT INTO orders (customer_id, number) VALUES (@customer, @number)',
    'INSERT OR REPLACE INTO codes VALUES (@code, 1)',
    'INSERT INTO codes VALUES (@code, 1) ON CONFLICT (code) DO UPDATE SET uses = uses + 1',
    'UPDATE orders SET number = @number WHERE id = @id',
    'UPDATE customers SET city = (SELECT max(city) FROM customers) WHERE id = @id',
    'UPDATE codes SET uses = random() WHERE code = @code',
    'DELETE FROM codes WHERE code = @code',
    'SELECT random() FROM orders',
  ])('never matters to %s', (sql) => {
    expect(orderMatters(sql)).toBe('never')
  })

  test.each([
    "UPDATE orders SET status = 'late', total = total * 2 WHERE customer_id = @customer AND total > 10",
    "UPDATE orders SET status = 'gone' WHERE customer_id IN (SELECT id FROM customers WHERE city = @city)",
    'UPDATE orders SET total = (SELECT sum(price) FROM items WHERE order_id = orders.id) WHERE customer_id = @customer',
    'UPDATE OR IGNORE customers SET city = NULL WHERE name > @name',
    'DELETE FROM items WHERE order_id IN (SELECT id FROM orders WHERE total IS NULL)',
    'DELETE FROM customers WHERE city = @city',
    'INSERT INTO items (order_id, price) SELECT @order, price FROM items WHERE order_id = @from',
    'INSERT INTO codes VALUES (@a, 1), (@b, 2)',
  ])('matters only to how it fails: %s', (sql) => {
    expect(orderMatters(sql)).toBe('when it fails')
  })

  test.each([
    'UPDATE orders SET number = number || 1 WHERE customer_id = @customer',
    'UPDATE OR IGNORE orders SET number = @number WHERE customer_id > @customer',
    'UPDATE customers SET name = (SELECT max(name) FROM customers) WHERE city = @city',
    'WITH top AS (SELECT max(name) AS n FROM customers) UPDATE customers SET name = (SELECT n FROM top) WHERE city = @city',
    'UPDATE customers SET city = random() WHERE random() > 0',
    'INSERT INTO orders (number) SELECT random() FROM customers',
    'INSERT INTO old_codes SELECT * FROM codes',
    'INSERT OR REPLACE INTO orders (id, total) SELECT order_id, price FROM items',
    'INSERT INTO orders (id) SELECT order_id FROM items WHERE 1 ON CONFLICT DO UPDATE SET id = id + 100',
    'REPLACE INTO staff VALUES (@id, @boss)',
  ])('matters to %s', (sql) => {
    const cascade = 'CREATE TABLE notes (order_id INTEGER REFERENCES orders (id) ON DELETE CASCADE ON UPDATE CASCADE);'
    expect(orderMatters(sql, cascade)).toBe('always')
  })

  test.each([
    ['plain', "UPDATE orders SET status = 'new' WHERE customer_id = NEW.id", 'when it fails'],
    ['of rows that depend on each other', "UPDATE orders SET number = 'x' || number WHERE total > 1", 'always'],
    ['a deletion where foreign keys become NULL', 'DELETE FROM customers WHERE city = NEW.city', 'always'],
  ])('matters to what fires a trigger whose write is %s: %s', (_name, body, expected) => {
    const trigger = `CREATE TRIGGER fired AFTER UPDATE ON customers BEGIN ${body}; END;`
    expect(orderMatters('UPDATE customers SET name = @name WHERE id = @id', trigger)).toBe(expected)
    expect(orderMatters('UPDATE orders SET total = 0 WHERE id = @id', trigger)).toBe('never')
  })
})
