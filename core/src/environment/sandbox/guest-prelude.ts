/**
 * Runs first in every sandbox. Takes a function that carries text to the host and back, and the frozen instant in
 * milliseconds. Lets time stand still, seeds Math.random (sfc32) at its first use, bounds the depth of JSON, whose
 * parser recurses on the host's stack, and builds what scripts are called with.
 *
 * Requests are JSON lists, except for the frequent ones: a statement's text crosses once, after that it goes by its number
 * (`all 7 {"id":1}`), and its rows come back without the names of their columns.
 */
export const guestPrelude = `(function (ask, now) {
  'use strict'
  const { parse, stringify } = JSON
  const RealDate = Date
  const RealFunction = Function
  const { defineProperty } = Object
  let a = 0, b = 0, c = 0, counter = 1, seeded = false
  const uint32 = () => {
    if (!seeded) {
      const words = parse(ask('seed'))
      seeded = true
      a = words[0] | 0
      b = words[1] | 0
      c = words[2] | 0
      counter = words[3] | 1
    }
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  const random = () => ((uint32() >>> 5) * 67108864 + (uint32() >>> 6)) / 9007199254740992
  const isDeep = (text) => {
    let depth = 0, quoted = false
    for (let i = 0; i < text.length; i++) {
      const character = text[i]
      if (character === '"') quoted = !quoted
      else if (quoted) { if (character === '\\\\') i++ }
      else if (character === '[' || character === '{') { if (++depth > 500) return true }
      else if (character === ']' || character === '}') depth--
    }
    return false
  }
  const opens = (text, bracket) => {
    let count = 0
    for (let at = text.indexOf(bracket); at >= 0 && count <= 500; at = text.indexOf(bracket, at + 1)) count++
    return count
  }
  JSON.parse = (value, reviver) => {
    const text = String(value)
    if (opens(text, '[') + opens(text, '{') > 500 && isDeep(text)) throw new RangeError('JSON nested in more than 500 levels')
    return parse(text, reviver)
  }
  const setDate = (value) => {
    defineProperty(globalThis, 'Date', { value, writable: true, enumerable: false, configurable: true })
    return value
  }
  const get = () => setDate(new RealFunction('return ' + ask('dates'))()(RealDate, now))
  defineProperty(globalThis, 'Date', { get, set: setDate, enumerable: false, configurable: true })
  Math.random = random
  class ToolError extends Error {
    constructor(code, message) {
      super(message === undefined ? code : message)
      this.name = 'ToolError'
      this.code = String(code)
    }
  }
  globalThis.ToolError = ToolError
  const opened = (text) => {
    const reply = parse(text)
    if (reply.error !== undefined) throw new ToolError(reply.error.code, reply.error.message)
    return reply.value
  }
  const request = (kind, state, text, parameters) =>
    opened(ask(stringify([kind, state, String(text), parameters === undefined ? {} : parameters])))
  const rowMaker = (columns) => {
    let source = ''
    for (let i = 0; i < columns.length; i++) {
      const name = stringify(columns[i])
      source += (columns[i] === '__proto__' ? '[' + name + ']' : name) + ':r[' + i + '],'
    }
    return new RealFunction('r', 'return {' + source + '}')
  }
  const statements = Object.create(null)
  const statement = (text) => {
    const known = statements[text]
    if (known !== undefined) return known
    const { id, columns } = request('prepare', 'db', text)
    const fresh = { id, all: 'all ' + id + ' ', get: 'get ' + id + ' ', run: 'run ' + id + ' ', toRow: rowMaker(columns) }
    if (id >= 0) statements[text] = fresh
    return fresh
  }
  const execute = (kind, statement, text, parameters) => {
    if (statement.id < 0) return ask(stringify([kind, 'db', text, parameters === undefined ? {} : parameters]))
    const given = parameters === undefined ? undefined : stringify(parameters)
    return ask(statement[kind] + (given === undefined ? '{}' : given))
  }
  const fetch = (kind, sql, parameters) => {
    const text = typeof sql === 'string' ? sql : String(sql)
    const known = statement(text)
    const reply = execute(kind, known, text, parameters)
    if (reply[0] !== '[') return opened(reply)
    const rows = parse(reply)
    for (let i = 0; i < rows.length; i++) rows[i] = known.toRow(rows[i])
    return rows
  }
  const db = {
    all: (sql, parameters) => fetch('all', sql, parameters),
    get: (sql, parameters) => fetch('get', sql, parameters)[0],
    run: (sql, parameters) => {
      const text = String(sql)
      return opened(execute('run', statement(text), text, parameters))
    },
  }
  const world = { now: new RealDate(now).toISOString(), random }
  const state = (name, tables) => ({
    tables,
    rows: (table) => request('rows', name, table),
    query: (sql, parameters) => request('all', name, sql, parameters),
  })
  const text = (value) => {
    const json = stringify(value)
    return json === undefined ? 'null' : json
  }
  const finished = (value) =>
    typeof value === 'object' && value !== null && typeof value.then === 'function'
      ? Promise.resolve(value).then(text)
      : text(value)
  return {
    tool: (script, input) => {
      seeded = false
      return finished(script(db, parse(input), world))
    },
    verifier: (script, input) => {
      seeded = false
      const { tables, diff, answer, calls } = parse(input)
      return finished(script({ initial: state('initial', tables), final: state('final', tables), diff, answer, calls }))
    },
    describe: (thrown) => {
      if (!(thrown instanceof Error)) return stringify({ name: 'thrown', message: String(thrown) })
      const { name, message, stack, code } = thrown
      const cut = (text) => String(text).slice(0, 2000)
      return stringify({ name: cut(name), message: cut(message), stack: cut(stack), code, tool: thrown instanceof ToolError })
    },
  }
})`
