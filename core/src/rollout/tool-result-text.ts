import type { Json, JsonObject } from '../vocabulary/json.ts'
import type { ToolError, ToolResult } from '../vocabulary/tool.ts'

/** A tool result as the policy reads it and as the trajectory keeps it. */
export interface BoundedResult {
  readonly text: string
  readonly result: ToolResult
}

function errorJson(error: ToolError): JsonObject {
  const { code, message, violations } = error
  if (violations === undefined) return { error: { code, message } }
  return {
    error: { code, message, violations: violations.map(({ path, message: what }) => ({ path, message: what })) },
  }
}

/** Where to cut so that no surrogate pair is split. */
function cutPosition(text: string, position: number): number {
  const unit = text.charCodeAt(position - 1)
  return unit >= 0xd800 && unit <= 0xdbff ? position - 1 : position
}

/**
 * The text of a tool message: strings as they are, everything else as JSON, errors as `{"error":{code,message,…}}`.
 * A notice of the world, for example about rows beyond a limit, follows in brackets.
 *
 * What is longer than `maxChars` is cut and says how much is missing. The trajectory then keeps only the sizes,
 * `{"$cut":{characters,shown}}`: the shown part stands in the message already.
 * @throws {TypeError} when the content is no JSON (undefined, a BigInt, a circle): the world's fault.
 */
export function boundedResult(result: ToolResult, maxChars: number): BoundedResult {
  const text = resultText(result)
  if (text.length <= maxChars) return { text, result }
  const shown = cutPosition(text, maxChars)
  const missing = text.length - shown
  const notice = `\n[${missing} of ${text.length} characters are missing here; ask for less]`
  const sizes: JsonObject = { $cut: { characters: text.length, shown } }
  return {
    text: text.slice(0, shown) + notice,
    result: result.ok ? { ok: true, content: sizes } : cutError(result, shown),
  }
}

function cutError(result: ToolResult & { readonly ok: false }, shown: number): ToolResult {
  const { kind, code, message } = result.error
  return { ok: false, error: { kind, code, message: message.slice(0, shown) } }
}

/** Texts of frozen contents; a world that always answers the same, such as a list of tools, is written out once. */
const texts = new WeakMap<object, string>()

function contentText(content: Json): string | undefined {
  if (typeof content !== 'object' || content === null || !Object.isFrozen(content)) return JSON.stringify(content)
  const known = texts.get(content)
  if (known !== undefined) return known
  const text = JSON.stringify(content)
  texts.set(content, text)
  return text
}

function resultText(result: ToolResult): string {
  if (!result.ok) return JSON.stringify(errorJson(result.error))
  if (typeof result.content === 'string') return withNotice(result.content, result.notice)
  const text = contentText(result.content)
  if (text === undefined) throw new TypeError(`the result is ${typeof result.content}, which is no JSON`)
  return withNotice(text, result.notice)
}

/** What the world itself left out is told as well. */
function withNotice(text: string, notice: string | undefined): string {
  return notice === undefined ? text : `${text}\n[${notice}]`
}
