/** Deepest nesting of lists and objects that is taken from outside; writing JSON fails at some thousands. */
const deepestJson = 100

/**
 * Why a value that was parsed from somebody else's JSON text cannot be kept as it is, or null: it is nested too deeply to
 * be written again, holds a number beyond the range of JSON ("1e999" parses as Infinity), or a key that reaches for a
 * prototype. Reads it level by level, so that no depth overflows the stack.
 */
export function jsonFault(value: unknown): string | null {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepestJson) return `is nested more than ${deepestJson} levels deep`
    const next: unknown[] = []
    for (const one of level) {
      const fault = ownFault(one)
      if (fault !== null) return fault
      for (const inner of innersOf(one)) next.push(inner)
    }
    level = next
  }
  return null
}

function innersOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : nothing
}

const nothing: readonly unknown[] = []

function ownFault(value: unknown): string | null {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'holds a number beyond the range of JSON'
  const hasPrototypeKey = typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')
  return hasPrototypeKey ? 'has a key "__proto__"' : null
}
