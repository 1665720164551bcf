import { ExecutableEnvironment } from '../../src/environment/executable-environment.ts'
import type { DatabaseDraft } from '../../src/vocabulary/database.ts'
import type { JsonObject } from '../../src/vocabulary/json.ts'
import type { QueryImplementation, SqlStep, Tool } from '../../src/vocabulary/tool.ts'

export const clock = '2026-03-01T09:00:00.000Z'

export function database(schema: string, data = ''): DatabaseDraft {
  return { schema, data, clock, annotations: {} }
}

/** A declarative tool whose input schema has just these properties. */
export function sqlTool(
  name: string,
  properties: JsonObject,
  steps: readonly SqlStep[],
  required = Object.keys(properties),
): Tool {
  return {
    name,
    summary: `runs ${name}`,
    description: `Runs ${name}.`,
    inputSchema: { type: 'object', properties, required },
    outputSchema: {},
    effect: steps.some((step) => step.kind === 'run') ? 'write' : 'read',
    tables: [],
    errors: [],
    implementation: { kind: 'sql', steps },
  }
}

/** The input schema of a tool that takes a query. */
export const sqlArgument = { type: 'object', properties: { sql: { type: 'string' } }, required: ['sql'] } as const

/** A tool that runs the query in its argument `sql`. */
export function queryTool(bounds: Partial<QueryImplementation> = {}, rest: Partial<Tool> = {}): Tool {
  return {
    ...sqlTool('query', {}, []),
    inputSchema: sqlArgument,
    implementation: { kind: 'query', argument: 'sql', ...bounds },
    ...rest,
  }
}

export function environment(
  draft: DatabaseDraft,
  tools: readonly Tool[] = [],
  scripts: Record<string, string> = {},
): ExecutableEnvironment {
  return new ExecutableEnvironment({ database: draft, tools, scripts })
}

/**
 * One of every kind of table that a diff must cope with: AUTOINCREMENT, a composite key, WITHOUT ROWID, no key at all,
 * a nullable key, generated columns, untyped columns, cascades, triggers and a full-text index.
 */
export const workshopSchema = `
CREATE TABLE customers (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, email TEXT UNIQUE);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id) ON DELETE CASCADE,
  cents INTEGER NOT NULL CHECK (cents >= 0), dollars REAL GENERATED ALWAYS AS (cents / 100.0) STORED,
  label TEXT GENERATED ALWAYS AS ('#' || id) VIRTUAL, placed_at TEXT DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE order_items (order_id INTEGER, line INTEGER, what, PRIMARY KEY (order_id, line)) WITHOUT ROWID;
CREATE TABLE tags (word TEXT PRIMARY KEY, weight);
CREATE TABLE log (message TEXT, extra);
CREATE TABLE settings (rowid TEXT, _rowid_ TEXT, oid TEXT);
CREATE VIRTUAL TABLE notes USING fts5(body);
CREATE TRIGGER order_logged AFTER INSERT ON orders BEGIN INSERT INTO log VALUES ('order ' || NEW.id, NEW.cents); END;
CREATE TRIGGER customer_left AFTER DELETE ON customers BEGIN INSERT INTO log VALUES ('left', OLD.name); END;
CREATE VIEW big_orders AS SELECT id, cents FROM orders WHERE cents > 1000;
`

export const workshopData = `
INSERT INTO customers (name, email) VALUES ('Ana', 'ana@example.com'), ('Bo', NULL), ('Chen', 'chen@example.com');
INSERT INTO orders (id, customer_id, cents) VALUES (1, 1, 500), (2, 1, 2500), (3, 2, 100);
INSERT INTO order_items VALUES (1, 1, 'bolt'), (1, 2, 7), (2, 1, 7.0), (3, 1, x'00ff');
INSERT INTO tags VALUES ('red', 1), ('blue', 1.0), (NULL, 9007199254740993), (NULL, 'twice');
INSERT INTO log VALUES ('start', NULL), ('start', NULL);
INSERT INTO settings VALUES ('a', 'b', 'c'), ('a', 'b', 'c');
INSERT INTO notes VALUES ('the first note'), ('another one');
`

const id = { type: 'integer' } as const
const anything = {} as const

/** Tools that write every table of the workshop, some in several steps, some in ways that fail. */
export const workshopTools: readonly Tool[] = [
  sqlTool('add_customer', { name: { type: 'string' }, email: { type: ['string', 'null'] } }, [
    { kind: 'run', sql: 'INSERT INTO customers (name, email) VALUES (@name, @email)' },
    { kind: 'row', sql: 'SELECT * FROM customers WHERE id = @rowid', error: { code: 'lost', message: 'Lost.' } },
  ]),
  sqlTool('put_customer', { id, name: { type: 'string' } }, [
    { kind: 'run', sql: 'INSERT OR REPLACE INTO customers (id, name) VALUES (@id, @name)' },
  ]),
  sqlTool('rename_customer', { id, name: { type: 'string' } }, [
    {
      kind: 'run',
      sql: 'INSERT INTO customers (id, name) VALUES (@id, @name) ON CONFLICT (id) DO UPDATE SET name = excluded.name',
    },
  ]),
  sqlTool('drop_customer', { id }, [
    {
      kind: 'run',
      sql: 'DELETE FROM customers WHERE id = @id',
      error: { code: 'customer_not_found', message: 'There is no customer {id}.' },
    },
  ]),
  sqlTool('move_customer', { id, to: id }, [{ kind: 'run', sql: 'UPDATE customers SET id = @to WHERE id = @id' }]),
  sqlTool('place_order', { customer_id: id, cents: id, what: anything }, [
    { kind: 'run', sql: 'INSERT INTO orders (customer_id, cents) VALUES (@customer_id, @cents)' },
    {
      kind: 'row',
      sql: 'SELECT id AS order_id, placed_at FROM orders WHERE id = @rowid',
      as: 'placed',
      error: { code: 'lost', message: 'Lost.' },
    },
    { kind: 'run', sql: 'INSERT INTO order_items VALUES (@placed__order_id, 1, @what)' },
    { kind: 'run', sql: 'INSERT INTO order_items SELECT @placed__order_id, 2, count(*) FROM orders' },
  ]),
  sqlTool('reprice_order', { id, cents: id }, [
    { kind: 'run', sql: 'UPDATE orders SET cents = @cents, placed_at = NULL WHERE id = @id' },
    { kind: 'run', sql: 'UPDATE orders SET cents = cents + 1 WHERE id = @id AND cents > 3' },
  ]),
  sqlTool('reprice_any', { key: anything, cents: id }, [
    { kind: 'run', sql: 'UPDATE orders SET cents = @cents WHERE id = @key' },
  ]),
  sqlTool('cancel_order', { id }, [{ kind: 'run', sql: 'DELETE FROM orders WHERE "id" = @id' }]),
  sqlTool('cancel_orders', { id }, [{ kind: 'run', sql: 'DELETE FROM orders WHERE id = @id OR id = @id + 1' }]),
  sqlTool('set_item', { order_id: id, line: id, what: anything }, [
    { kind: 'run', sql: 'REPLACE INTO order_items VALUES (@order_id, @line, @what)' },
  ]),
  sqlTool('drop_items', { order_id: id }, [{ kind: 'run', sql: 'DELETE FROM order_items WHERE order_id = @order_id' }]),
  sqlTool('tag', { word: { type: ['string', 'null'] }, weight: anything }, [
    { kind: 'run', sql: 'INSERT OR IGNORE INTO tags VALUES (@word, @weight)' },
  ]),
  sqlTool('weigh', { word: { type: 'string' }, weight: anything }, [
    { kind: 'run', sql: 'UPDATE tags SET weight = @weight WHERE word IS @word' },
  ]),
  sqlTool('forget_untitled', {}, [{ kind: 'run', sql: 'DELETE FROM tags WHERE word IS NULL' }]),
  sqlTool('write_log', { message: { type: 'string' } }, [
    { kind: 'run', sql: 'INSERT INTO log VALUES (@message, NULL)' },
  ]),
  sqlTool('trim_log', {}, [{ kind: 'run', sql: 'DELETE FROM log WHERE rowid = (SELECT min(rowid) FROM log)' }]),
  sqlTool('clear_log', {}, [{ kind: 'run', sql: 'DELETE FROM log' }]),
  sqlTool('set_setting', { a: { type: 'string' } }, [
    { kind: 'run', sql: "UPDATE settings SET oid = @a WHERE oid = 'c'" },
  ]),
  sqlTool('add_setting', { a: { type: 'string' } }, [
    { kind: 'run', sql: "INSERT INTO settings VALUES ('a', 'b', @a)" },
  ]),
  sqlTool('take_note', { body: { type: 'string' } }, [{ kind: 'run', sql: 'INSERT INTO notes VALUES (@body)' }]),
  sqlTool('rewrite_note', { rowid_: id, body: { type: 'string' } }, [
    { kind: 'run', sql: 'UPDATE notes SET body = @body WHERE rowid = @rowid_' },
  ]),
  sqlTool('find_notes', { word: { type: 'string', pattern: '^[a-z]+$' } }, [
    { kind: 'rows', sql: 'SELECT rowid AS id, body FROM notes WHERE notes MATCH @word ORDER BY rowid' },
  ]),
  sqlTool('list_customers', {}, [{ kind: 'rows', sql: 'SELECT * FROM customers ORDER BY id' }]),
  sqlTool('list_big_orders', {}, [{ kind: 'rows', sql: 'SELECT * FROM big_orders ORDER BY id' }]),
]

export function workshop(): ExecutableEnvironment {
  return environment(database(workshopSchema, workshopData), workshopTools)
}
