import type { Json } from '../../vocabulary/json.ts'

/** Levels of lists and objects beyond which no argument is looked at. Recursion over JSON ends the stack at some thousand. */
export const deepestArguments = 64

/** Whether lists and objects are nested in more than so many levels. Never looks deeper than that. */
export function isNestedDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (const entry of value as readonly Json[]) if (isNestedDeeper(entry, levels - 1)) return true
    return false
  }
  for (const name in value) {
    if (isNestedDeeper((value as Readonly<Record<string, Json>>)[name] as Json, levels - 1)) return true
  }
  return false
}
