import { hash } from 'node:crypto'

/** JSON text with object keys sorted at every depth, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
  return textOf(value) ?? JSON.stringify(value, sorted)
}

/** sha-256, hex, of text, bytes, or the canonical JSON of anything else. */
export function contentHash(value: unknown): string {
  return hash('sha256', typeof value === 'string' || value instanceof Uint8Array ? value : canonicalJson(value), 'hex')
}

/** What says everything that {@link textOf} leaves to it, one replaced object per object. */
function sorted(_key: string, inner: unknown): unknown {
  if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner
  return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}

/** Texts that stand between quotes as they are. */
const plainText = /^[ !#-[\]-~]*$/

/** Keys that objects hold in the order of numbers, wherever they were put. */
const numericKey = /^\d/

/** The text of a value of arrays and plain objects, the common case, without copies; null for what needs the general way. */
function textOf(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return plainText.test(value) ? `"${value}"` : JSON.stringify(value)
    case 'number':
      return Number.isFinite(value) ? String(value === 0 ? 0 : value) : 'null'
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? arrayText(value) : objectText(value)
    default:
      return null
  }
}

function arrayText(values: readonly unknown[]): string | null {
  if ('toJSON' in values) return null
  let text = '['
  for (let i = 0; i < values.length; i++) {
    const one = textOf(values[i])
    if (one === null) return null
    text += i === 0 ? one : `,${one}`
  }
  return `${text}]`
}

function objectText(value: object): string | null {
  const prototype: unknown = Object.getPrototypeOf(value)
  if ((prototype !== Object.prototype && prototype !== null) || 'toJSON' in value) return null
  let text = '{'
  for (const key of Object.keys(value).sort()) {
    if (numericKey.test(key)) return null
    const inner: unknown = Reflect.get(value, key)
    if (inner === undefined) continue
    const one = textOf(inner)
    if (one === null) return null
    text += `${text.length === 1 ? '' : ','}${textOf(key)}:${one}`
  }
  return `${text}}`
}
