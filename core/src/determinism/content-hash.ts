import { createHash } from 'node:crypto'

/** JSON text with object keys sorted at every depth, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
  })
}

/** sha-256, hex, of text, bytes, or the canonical JSON of anything else. */
export function contentHash(value: unknown): string {
  const hash = createHash('sha256')
  if (typeof value === 'string' || value instanceof Uint8Array) return hash.update(value).digest('hex')
  return hash.update(canonicalJson(value)).digest('hex')
}
