import type { SessionCall } from './session-record.ts'

/** Characters that a call takes up while its session remembers it, roughly: what was given, what came, what it changed. */
export function keptSize({ name, arguments: args, text, diff }: SessionCall): number {
  // The result stands in its text and, parsed, beside it.
  return name.length + sizeOf(args) + 2 * text.length + sizeOf(diff)
}

/** Characters of a value and some for each part of it. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + perPart
  if (typeof value !== 'object' || value === null) return perPart
  let size = perPart
  for (const key of Object.keys(value)) size += key.length + sizeOf((value as Readonly<Record<string, unknown>>)[key])
  return size
}

const perPart = 16
