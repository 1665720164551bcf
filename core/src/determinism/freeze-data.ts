/** Freezes plain data at every depth, in place; bytes and what is frozen already are left as they are. */
export function freezeData<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value)) freezeData(inner)
  return value
}
