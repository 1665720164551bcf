/**
 * Runs first in every sandbox. Takes a function that carries JSON text to the host and back, and the frozen instant in
 * milliseconds. Lets time stand still, seeds Math.random (sfc32), and builds what scripts are called with.
 */
export const guestPrelude = `(function (ask, now) {
  'use strict'
  const { parse, stringify } = JSON
  const RealDate = Date
  let a = 0, b = 0, c = 0, counter = 1
  const uint32 = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  const random = () => ((uint32() >>> 5) * 67108864 + (uint32() >>> 6)) / 9007199254740992
  const FrozenDate = function (...parts) {
    if (new.target === undefined) return new RealDate(now).toString()
    const base = new.target === FrozenDate ? RealDate : new.target
    return Reflect.construct(RealDate, parts.length === 0 ? [now] : parts, base)
  }
  FrozenDate.prototype = RealDate.prototype
  RealDate.prototype.constructor = FrozenDate
  FrozenDate.now = () => now
  FrozenDate.parse = RealDate.parse
  FrozenDate.UTC = RealDate.UTC
  globalThis.Date = FrozenDate
  Math.random = random
  class ToolError extends Error {
    constructor(code, message) {
      super(message === undefined ? code : message)
      this.name = 'ToolError'
      this.code = String(code)
    }
  }
  globalThis.ToolError = ToolError
  const request = (kind, state, text, parameters) => {
    const reply = parse(ask(stringify([kind, state, String(text), parameters === undefined ? {} : parameters])))
    if (reply.error !== undefined) throw new ToolError(reply.error.code, reply.error.message)
    return reply.value
  }
  const db = {
    all: (sql, parameters) => request('all', 'db', sql, parameters),
    get: (sql, parameters) => request('get', 'db', sql, parameters)[0],
    run: (sql, parameters) => request('run', 'db', sql, parameters),
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
  const seed = (s0, s1, s2, s3) => {
    a = s0 | 0
    b = s1 | 0
    c = s2 | 0
    counter = s3 | 1
  }
  return {
    tool: (script, input, s0, s1, s2, s3) => {
      seed(s0, s1, s2, s3)
      return finished(script(db, parse(input), world))
    },
    verifier: (script, input, s0, s1, s2, s3) => {
      seed(s0, s1, s2, s3)
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
