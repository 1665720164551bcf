import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js'
import { canonicalJson, type Json, type JsonObject, type JsonSchema, outputViolations, type ToolResult } from 'rlenv'
import { refusal, toolFault } from './tool-failure.ts'

export interface ResultBounds {
  /** Longest content that is kept, in characters. */
  readonly maxChars: number
  /** What structured content must fit; null for anything. */
  readonly outputSchema: JsonSchema | null
}

/**
 * A server's result in the world's words. `isError` is the tool's own refusal and owes no structured content; a result that
 * breaks the tool's own output schema is the server's fault. Images, sounds and binary resources are described, not carried
 * along.
 */
export function toolResult(tool: string, result: CallToolResult, { maxChars, outputSchema }: ResultBounds): ToolResult {
  const text = result.content.map(blockText).join('\n')
  if (result.isError === true) {
    return refusal(text === '' ? `${tool} was refused without a reason` : cut(text, maxChars), 'tool_error')
  }
  const structured = result.structuredContent as JsonObject | undefined
  const broken = outputSchema === null ? null : outputFault(outputSchema, structured)
  if (broken !== null) return toolFault(tool, broken)
  return bounded(structured === undefined ? text : withStructure(result.content, text, structured), maxChars)
}

function outputFault(schema: JsonSchema, structured: JsonObject | undefined): string | null {
  if (structured === undefined) return 'it declares an output schema and returned no structured content'
  const [first] = outputViolations(schema, structured)
  return first === undefined ? null : `its result breaks its output schema: ${first.path || 'it'} ${first.message}`
}

/** The structured content alone, when the text only repeats it. */
function withStructure(blocks: readonly ContentBlock[], text: string, structured: JsonObject): Json {
  const isRepeated = blocks.every((block) => block.type === 'text' && repeats(block.text, structured))
  return isRepeated ? structured : { text, structured }
}

function repeats(text: string, structured: JsonObject): boolean {
  const values = Object.values(structured)
  if (values.includes(text)) return true
  try {
    const value = JSON.parse(text) as Json
    return [structured, ...(values.length === 1 ? values : [])].some(
      (one) => canonicalJson(one) === canonicalJson(value),
    )
  } catch {
    return false
  }
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${base64Bytes(block.data)} bytes]`
    case 'resource': {
      const { resource } = block
      const type = resource.mimeType === undefined ? '' : ` ${resource.mimeType}`
      if ('text' in resource) return `[resource ${resource.uri}${type}]\n${resource.text}`
      return `[resource ${resource.uri}${type}, ${base64Bytes(resource.blob)} bytes]`
    }
    case 'resource_link': {
      const description = block.description === undefined ? '' : `: ${block.description}`
      return `[resource ${block.uri}, ${block.name}${description}]`
    }
  }
}

function base64Bytes(data: string): number {
  return Buffer.byteLength(data, 'base64')
}

function bounded(content: Json, maxChars: number): ToolResult {
  if (content === '') return { ok: true, content, notice: 'the tool returned no content' }
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  if (text.length <= maxChars) return { ok: true, content }
  const shown = cut(text, maxChars)
  const notice = `${text.length - shown.length} of ${text.length} characters are missing here; ask for less`
  return { ok: true, content: shown, notice }
}

/** Never through the middle of a surrogate pair. */
function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const unit = text.charCodeAt(maxChars - 1)
  return text.slice(0, unit >= 0xd800 && unit <= 0xdbff ? maxChars - 1 : maxChars)
}
