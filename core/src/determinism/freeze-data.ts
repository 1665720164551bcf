/** Freezes plain data at every depth, in place; bytes and what is frozen already are left as they are. */
export function freezeData<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value
  Object.freeze(value)
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof inner === 'object') freezeData(inner)
  }
  return value
}
