import type { Environment } from '../vocabulary/environment.ts'
import type { Json, JsonObject } from '../vocabulary/json.ts'
import type { SqlStep, Tool } from '../vocabulary/tool.ts'
import { tinyScenario } from './tiny-environment.ts'

const schema = `
CREATE TABLE accounts (id INTEGER PRIMARY KEY AUTOINCREMENT, handle TEXT NOT NULL UNIQUE, email TEXT UNIQUE,
  joined_at TEXT DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE sessions (id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts (id)
  ON DELETE CASCADE ON UPDATE CASCADE, token INTEGER DEFAULT (abs(random() % 1000000)));
CREATE TABLE posts (id INTEGER PRIMARY KEY, account_id INTEGER REFERENCES accounts (id) ON DELETE SET NULL ON UPDATE CASCADE,
  parent_id INTEGER REFERENCES posts (id) ON DELETE CASCADE, title TEXT NOT NULL, body TEXT,
  size INTEGER GENERATED ALWAYS AS (length(body)) STORED, label TEXT GENERATED ALWAYS AS (id || ': ' || title) VIRTUAL);
CREATE VIRTUAL TABLE post_search USING fts5 (title, body, content = 'posts', content_rowid = 'id');
CREATE VIRTUAL TABLE notes USING fts5 (body);
CREATE TABLE tags (name TEXT COLLATE NOCASE PRIMARY KEY, uses);
CREATE TABLE post_tags (post_id INTEGER REFERENCES posts (id) ON DELETE CASCADE, tag TEXT, PRIMARY KEY (post_id, tag)) WITHOUT ROWID;
CREATE TABLE preferences (account_id INTEGER NOT NULL, name TEXT NOT NULL, value, PRIMARY KEY (account_id, name) ON CONFLICT REPLACE);
CREATE TABLE seats (line INTEGER NOT NULL, place INTEGER NOT NULL, holder TEXT UNIQUE, PRIMARY KEY (line, place));
CREATE TABLE counters (name TEXT PRIMARY KEY NOT NULL, n INTEGER NOT NULL CHECK (n >= 0)) STRICT;
CREATE TABLE events (kind TEXT, payload);
CREATE TABLE twins (rowid TEXT, _rowid_ TEXT, oid TEXT);
CREATE INDEX posts_by_account ON posts (account_id);
CREATE UNIQUE INDEX one_root_title ON posts (title) WHERE parent_id IS NULL;
CREATE VIEW threads AS SELECT id, title FROM posts WHERE parent_id IS NULL;
CREATE TRIGGER post_added AFTER INSERT ON posts BEGIN
  INSERT INTO post_search (rowid, title, body) VALUES (NEW.id, NEW.title, NEW.body);
  INSERT INTO events VALUES ('post', NEW.id);
  UPDATE counters SET n = n + 1 WHERE name = 'posts';
END;
CREATE TRIGGER post_changed AFTER UPDATE OF title, body ON posts BEGIN
  INSERT INTO post_search (post_search, rowid, title, body) VALUES ('delete', OLD.id, OLD.title, OLD.body);
  INSERT INTO post_search (rowid, title, body) VALUES (NEW.id, NEW.title, NEW.body);
END;
CREATE TRIGGER post_gone AFTER DELETE ON posts BEGIN
  INSERT INTO post_search (post_search, rowid, title, body) VALUES ('delete', OLD.id, OLD.title, OLD.body);
  UPDATE counters SET n = n - 1 WHERE name = 'posts';
END;
CREATE TRIGGER account_gone BEFORE DELETE ON accounts WHEN OLD.handle = 'root' BEGIN SELECT RAISE(ABORT, 'root stays'); END;
CREATE TRIGGER thread_made INSTEAD OF INSERT ON threads BEGIN INSERT INTO posts (title) VALUES (NEW.title); END;
`

const data = `
INSERT INTO accounts (handle, email) VALUES ('root', NULL), ('ana', 'ana@example.com'), ('bo', NULL), ('cy', 'cy@example.com');
INSERT INTO counters VALUES ('posts', 0), ('visits', 3);
INSERT INTO posts (id, account_id, parent_id, title, body) VALUES (1, 2, NULL, 'first', 'the very first one'), (2, 3, 1, 'reply', 'one answer'),
  (3, 2, 2, 'deeper', NULL), (4, 4, NULL, 'second', 'another thread');
INSERT INTO sessions (id, account_id, token) VALUES (1, 2, 7), (2, 2, 8), (3, 3, 9);
INSERT INTO notes VALUES ('one note'), ('two notes');
INSERT INTO tags VALUES ('Red', 1), ('blue', 1.0), ('green', 9007199254740993);
INSERT INTO post_tags VALUES (1, 'red'), (1, 'blue'), (4, 'green');
INSERT INTO preferences VALUES (2, 'theme', 'dark'), (3, 'theme', x'00ff');
INSERT INTO seats VALUES (1, 1, 'ana'), (1, 2, 'bo'), (2, 1, NULL);
INSERT INTO events VALUES ('start', NULL), ('start', NULL);
INSERT INTO twins VALUES ('a', 'b', 'c'), ('a', 'b', 'c');
`

const id = { enum: [1, 2, 3, 4, 5, 6, 7] }
const word = { enum: ['red', 'RED', 'blue', 'note', 'first', 'ana'] }
const place = { enum: [1, 2] }
const value = { enum: [null, 0, 1, 1.5, 'x', true, 9_007_199_254_740_000, [1, 'a']] }
const optionalWord = { enum: [null, 'red', 'Red', 'blue', 'ana', 'bo'] }

function toolOf(
  name: string,
  properties: JsonObject,
  effect: Tool['effect'],
  implementation: Tool['implementation'],
): Tool {
  const inputSchema = { type: 'object', properties, required: Object.keys(properties) }
  return {
    name,
    summary: name,
    description: name,
    inputSchema,
    outputSchema: {},
    effect,
    tables: [],
    errors: [],
    implementation,
  }
}

const steps = (name: string, properties: Record<string, Json>, ...list: SqlStep[]): Tool =>
  toolOf(name, properties, list.some(({ kind }) => kind === 'run') ? 'write' : 'read', { kind: 'sql', steps: list })
const script = (name: string, properties: JsonObject): Tool =>
  toolOf(name, properties, 'write', { kind: 'script', file: `tools/${name}.ts` })

const gone = { code: 'not_found', message: 'There is no such row.' }
const run = (sql: string): SqlStep => ({ kind: 'run', sql })
const runOr = (sql: string): SqlStep => ({ kind: 'run', sql, error: gone })
const rows = (sql: string): SqlStep => ({ kind: 'rows', sql })
const write = (name: string, properties: Record<string, Json>, sql: string): Tool => steps(name, properties, run(sql))

/** One tool for each way in which a write can reach further than it looks, or fail. */
const tools: readonly Tool[] = [
  steps(
    'sign_up',
    { handle: word },
    run('INSERT INTO accounts (handle) VALUES (@handle)'),
    { kind: 'row', sql: 'SELECT * FROM accounts WHERE id = @rowid', error: gone, as: 'made' },
    run("INSERT INTO preferences VALUES (@made__id, 'theme', @handle)"),
    rows('SELECT @rowid AS rowid, @made__id AS id'),
  ),
  steps('sign_up_once', { handle: word }, runOr('INSERT OR IGNORE INTO accounts (handle) VALUES (@handle)')),
  steps(
    'sign_up_quietly',
    { handle: word },
    run('INSERT OR IGNORE INTO accounts (handle) VALUES (@handle)'),
    rows('SELECT @rowid AS rowid'),
  ),
  write(
    'sign_up_twice',
    { handle: word, id },
    "INSERT INTO accounts (id, handle) VALUES (@id, @handle), (@id + 1, @handle || '2')",
  ),
  write('put_account', { id, handle: word }, 'INSERT OR REPLACE INTO accounts (id, handle) VALUES (@id, @handle)'),
  write(
    'put_handle',
    { handle: word, email: optionalWord },
    'REPLACE INTO accounts (handle, email) VALUES (@handle, @email)',
  ),
  write(
    'rename',
    { id, handle: word },
    'INSERT INTO accounts (id, handle) VALUES (@id, @handle) ON CONFLICT (id) DO UPDATE SET handle = excluded.handle',
  ),
  write(
    'rename_by_handle',
    { handle: word, email: optionalWord },
    'INSERT INTO accounts (handle, email) VALUES (@handle, @email) ON CONFLICT (handle) DO UPDATE SET email = excluded.email WHERE excluded.email IS NOT NULL',
  ),
  steps('drop_account', { id }, runOr('DELETE FROM accounts WHERE id = @id')),
  write('move_account', { id, to: id }, 'UPDATE accounts SET id = @to WHERE id = @id'),
  steps(
    'log_in',
    { id },
    run('INSERT INTO sessions (account_id) VALUES (@id)'),
    rows('SELECT * FROM sessions WHERE id = @rowid'),
  ),
  write('log_out_all', { id }, 'DELETE FROM sessions WHERE account_id = @id'),
  write('shuffle_tokens', { id }, 'UPDATE sessions SET token = random() % 100 WHERE id <= @id'),
  steps(
    'post',
    { id, title: word, body: optionalWord },
    run('INSERT INTO posts (account_id, title, body) VALUES (@id, @title, @body)'),
    rows('SELECT * FROM posts WHERE id = @rowid'),
  ),
  write(
    'reply',
    { id, parent: id, title: word },
    'INSERT INTO posts (account_id, parent_id, title, body) SELECT @id, @parent, @title, title FROM posts WHERE id = @parent',
  ),
  write('start_thread', { title: word }, 'INSERT INTO threads (title) VALUES (@title)'),
  write('edit_post', { id, title: word }, 'UPDATE posts SET title = @title WHERE id = @id'),
  write('edit_or_replace', { id, title: word }, 'UPDATE OR REPLACE posts SET title = @title WHERE id = @id'),
  write('edit_or_ignore', { title: word }, 'UPDATE OR IGNORE posts SET title = @title WHERE parent_id IS NULL'),
  write('move_post', { id, to: id }, 'UPDATE posts SET id = @to WHERE id = @id'),
  write('drop_post', { id }, 'DELETE FROM posts WHERE id = @id'),
  write('drop_posts', { id }, 'DELETE FROM posts WHERE account_id = @id'),
  write('drop_everything', {}, 'DELETE FROM posts'),
  write('tag_post', { id, tag: word }, 'INSERT INTO post_tags VALUES (@id, @tag)'),
  write('retag', { from: word, to: word }, 'UPDATE post_tags SET tag = @to WHERE tag = @from'),
  write('untag', { id, tag: word }, 'DELETE FROM post_tags WHERE post_id = @id AND tag = @tag'),
  write('add_tag', { name: optionalWord, value }, 'INSERT INTO tags VALUES (@name, @value)'),
  write('put_tag', { name: optionalWord, value }, 'INSERT OR REPLACE INTO tags VALUES (@name, @value)'),
  write('spell_tag', { from: word, to: word }, 'UPDATE tags SET name = @to WHERE name = @from'),
  write('forget_nameless', {}, 'DELETE FROM tags WHERE name IS NULL'),
  write('prefer', { id, name: word, value }, 'INSERT INTO preferences VALUES (@id, @name, @value)'),
  write('prefer_alike', { id, to: id }, 'UPDATE preferences SET account_id = @to WHERE account_id = @id'),
  write(
    'take_seat',
    { line: place, place, holder: optionalWord },
    'INSERT OR REPLACE INTO seats VALUES (@line, @place, @holder)',
  ),
  write(
    'swap_seat',
    { line: place, place, holder: optionalWord },
    'UPDATE OR REPLACE seats SET holder = @holder WHERE line = @line AND place = @place',
  ),
  write('leave_seats', { line: place }, 'DELETE FROM seats WHERE line = @line'),
  write(
    'count',
    { name: word, n: { enum: [1, -1, -9] } },
    'INSERT INTO counters VALUES (@name, @n) ON CONFLICT (name) DO UPDATE SET n = n + excluded.n',
  ),
  write('log', { kind: word, value }, 'INSERT INTO events VALUES (@kind, @value)'),
  write('trim_log', {}, 'DELETE FROM events WHERE rowid = (SELECT min(rowid) FROM events)'),
  write('log_twice', {}, 'INSERT INTO events SELECT kind, payload FROM events LIMIT 2'),
  write('add_twin', { a: word }, "INSERT INTO twins VALUES (@a, 'b', 'c')"),
  write('drop_twins', { a: word }, "DELETE FROM twins WHERE rowid = @a OR rowid = 'a'"),
  write('take_note', { body: word }, 'INSERT INTO notes VALUES (@body)'),
  write('rewrite_note', { id, body: word }, 'UPDATE notes SET body = @body WHERE rowid = @id'),
  write('drop_note', { id }, 'DELETE FROM notes WHERE rowid = @id'),
  steps(
    'fail_late',
    { id, title: word },
    run('INSERT INTO events VALUES (@title, @id)'),
    run('UPDATE posts SET body = @title WHERE id = @id'),
    runOr('DELETE FROM seats WHERE line = @id AND place = @id'),
    run("INSERT INTO accounts (handle) VALUES ('ana')"),
  ),
  steps(
    'find_notes',
    { body: word },
    rows("SELECT rowid AS id, body, rank FROM notes WHERE notes MATCH @body || '*' ORDER BY rank, rowid"),
  ),
  steps(
    'search',
    { body: word },
    rows('SELECT rowid AS id, title FROM post_search WHERE post_search MATCH @body ORDER BY rowid'),
  ),
  steps('list_posts', {}, rows('SELECT p.*, a.handle FROM posts p LEFT JOIN accounts a ON a.id = p.account_id')),
  steps('roll', {}, rows('SELECT abs(random()) % 1000 AS n')),
  steps(
    'totals',
    {},
    rows(
      "SELECT (SELECT count(*) FROM accounts) AS accounts, (SELECT max(id) FROM sessions) AS session, (SELECT n FROM counters WHERE name = 'posts') AS posts",
    ),
  ),
  script('merge_tags', { from: word, to: word }),
  script('seat_all', { line: place }),
]

const scripts = {
  'tools/merge_tags.ts': `export default function (db, args: { from: string; to: string }, world) {
  const { changes } = db.run('UPDATE OR IGNORE post_tags SET tag = @to WHERE tag = @from', args)
  const left = db.run('DELETE FROM post_tags WHERE tag = @from', args).changes
  let code = 'none'
  try { db.run('INSERT INTO tags VALUES (@to, @n)', { to: args.to, n: world.random() }) } catch (error) { code = error.code }
  if (args.from === 'ana') throw new ToolError('no_such_tag', 'ana is no tag.')
  if (args.from === 'note') throw new TypeError('not a tag')
  return { changes, left, code, made: db.run('INSERT INTO accounts (handle) VALUES (@h)', { h: 'tag ' + args.to + changes }).lastInsertRowid }
}`,
  // OR FAIL keeps what it wrote before it failed, which no log of whole statements can repeat.
  'tools/seat_all.ts': `export default function (db, args: { line: number }) {
  try { return db.run("INSERT OR FAIL INTO seats VALUES (@line, 7, 'x'), (@line, 8, 'ana'), (@line, 9, 'y')", args) }
  catch (error) { return { code: error.code, held: db.all('SELECT * FROM seats') } }
}`,
}

/**
 * An environment whose tools write in every way that is hard to follow: full-text indexes, AUTOINCREMENT, triggers,
 * cascades, REPLACE, upserts, partial failures, generated columns, composite, nullable and missing keys, randomness and
 * scripts. For tests of whatever must not be told apart by behaviour.
 */
export function intricateEnvironment(): Environment {
  return {
    id: 'intricate',
    scenario: tinyScenario('intricate'),
    seed: 1,
    database: { schema, data, clock: '2026-03-01T09:00:00.000Z', annotations: {} },
    tools,
    tasks: [],
    verifiers: {},
    scripts,
    files: {},
    provenance: [],
  }
}
