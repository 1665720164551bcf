/** Bytes of a heap object, of one of its fields, and of a number that is no small integer. */
const objectBytes = 24
const fieldBytes = 8
const numberBytes = 16

/**
 * Bytes that plain data takes in memory, estimated from its texts, numbers and fields. What occurs twice in it is counted
 * once. The same data gives the same number on every machine; NaN when something in it is no data, such as a function or
 * a Map.
 */
export function heapSize(value: unknown): number {
  return sizeOf(value, new Set())
}

function sizeOf(value: unknown, seen: Set<object>): number {
  if (typeof value === 'string') return textSize(value)
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 0 : numberBytes
  if (typeof value === 'bigint') return numberBytes
  if (typeof value === 'function' || typeof value === 'symbol') return Number.NaN
  if (typeof value !== 'object' || value === null || seen.has(value)) return 0
  seen.add(value)
  if (ArrayBuffer.isView(value)) return objectBytes + value.byteLength
  if (Array.isArray(value)) return listSize(value, seen)
  if (value instanceof Date) return objectBytes + numberBytes
  if (isOpaque(value)) return Number.NaN
  return Object.values(value).reduce<number>((sum, inner) => sum + fieldBytes + sizeOf(inner, seen), objectBytes)
}

/** Whether an object holds what its properties do not show: a Map, a promise, one with private fields alone. */
function isOpaque(value: object): boolean {
  if (Object.keys(value).length > 0) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype !== null && Object.getPrototypeOf(prototype) !== null
}

/** A list's numbers, such as tokens or log-probabilities, lie in its fields. */
function listSize(list: readonly unknown[], seen: Set<object>): number {
  let size = objectBytes + fieldBytes * list.length
  for (const inner of list) if (typeof inner !== 'number') size += sizeOf(inner, seen)
  return size
}

/** The engine stores a text with one byte per character when none lies beyond Latin-1, else with two. */
function textSize(text: string): number {
  return objectBytes + (/[\u0100-\uffff]/.test(text) ? 2 : 1) * text.length
}
