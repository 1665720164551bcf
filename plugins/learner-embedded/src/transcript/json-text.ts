import type { Json, JsonObject } from 'rlenv'

/** The value of a JSON text; undefined when it is none. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    // Not JSON is an answer here, not a failure: the caller asks "is it?".
    return undefined
  }
}

/** The value of a JSON text; of an array that was cut off, the elements that are whole. */
export function parseCutJson(text: string): Json | undefined {
  const whole = parseJson(text)
  if (whole !== undefined || !text.startsWith('[')) return whole
  const elements = wholeElements(text)
  return elements.length > 0 ? elements : undefined
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Objects and arrays in a JSON array up to where its text breaks off. */
function wholeElements(text: string): Json[] {
  const elements: Json[] = []
  let depth = 0
  let start = 0
  for (let i = 1; i < text.length; i++) {
    const step = depthStep(text[i])
    if (text[i] === '"') i = endOfString(text, i)
    if (step > 0 && depth === 0) start = i
    depth += step
    const element = step < 0 && depth === 0 ? parseJson(text.slice(start, i + 1)) : undefined
    if (element !== undefined) elements.push(element)
  }
  return elements
}

function depthStep(character: string | undefined): number {
  if (character === '{' || character === '[') return 1
  return character === '}' || character === ']' ? -1 : 0
}

function endOfString(text: string, start: number): number {
  let i = start + 1
  while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1
  return i
}
