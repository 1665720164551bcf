/** Options as they stand in manifests and artefact keys: JSON, with functions by name and secrets as references. */
export function plainOptions(value: unknown): unknown {
  return plain(value, [])
}

function plain(value: unknown, parents: readonly object[]): unknown {
  if (typeof value === 'function') return `[function ${value.name || 'anonymous'}]`
  if (typeof value === 'bigint' || typeof value === 'symbol') return value.toString()
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (parents.includes(value)) return '[circular]'
  return plainObject(value, [...parents, value])
}

function plainObject(value: object, parents: readonly object[]): unknown {
  if (Array.isArray(value)) return value.map((item) => plain(item, parents) ?? null)
  if (value instanceof RegExp || value instanceof URL) return value.toString()
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Map || value instanceof Set) return [...value].map((item) => plain(item, parents) ?? null)
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(entries.map(([key, inner]) => [key, plain(inner, parents)]))
}
