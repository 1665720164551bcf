import type { AssistantMessage, ChatToolCall, JsonObject, Message, ToolDefinition, ToolMessage } from 'rlenv'
import { Episode } from './episode.ts'
import { isJsonObject, parseCutJson, parseJson } from './json-text.ts'
import { readObservation } from './observation.ts'
import type { TaskViews } from './task-view.ts'
import { catalogueOf, listedTools, type ToolCatalogue } from './tool-catalogue.ts'

/** Names of the two tools of the meta surface. */
export const metaTools = { list: 'list_tools', call: 'call_tool' } as const

/** How far a conversation has been read. */
interface Reading {
  read: number
  last: Message | undefined
  text: string
  catalogue: ToolCatalogue | null
  episode: Episode | null
  readonly pending: Map<string, ChatToolCall>
}

const listingLimit = 512

/**
 * Reads conversations into episodes. An array that grows is read on from where it was left; a fresh array (a history
 * window, a replay) is read from its start. Both give the same episode.
 */
export class TranscriptReader {
  readonly #views: TaskViews
  readonly #readings = new WeakMap<readonly Message[], Reading>()
  readonly #listings = new Map<string, ToolCatalogue | null>()

  constructor(views: TaskViews) {
    this.#views = views
  }

  /** The episode so far; null while the tools of a meta surface have not been listed. */
  read(messages: readonly Message[], tools: readonly ToolDefinition[]): Episode | null {
    let reading = this.#readings.get(messages)
    if (reading === undefined || !continues(reading, messages)) {
      reading = freshReading(messages, isMetaSurface(tools) ? null : catalogueOf(tools))
      this.#readings.set(messages, reading)
    }
    for (const message of messages.slice(reading.read)) this.#take(reading, message)
    reading.read = messages.length
    reading.last = messages.at(-1)
    return this.#episode(reading)
  }

  #episode(reading: Reading): Episode | null {
    if (reading.episode === null && reading.catalogue !== null) {
      reading.episode = new Episode(this.#views.of(reading.catalogue, reading.text))
    }
    return reading.episode
  }

  #take(reading: Reading, message: Message): void {
    if (message.role === 'assistant') takeAssistant(reading, message, this.#episode(reading))
    else if (message.role === 'tool') this.#takeResult(reading, message)
  }

  #takeResult(reading: Reading, message: ToolMessage): void {
    const call = reading.pending.get(message.tool_call_id)
    if (call === undefined) return
    reading.pending.delete(message.tool_call_id)
    if (call.function.name === metaTools.list && reading.catalogue === null) {
      reading.catalogue = this.#listing(message.content)
      return
    }
    const { name, args } = unwrapped(call)
    const episode = this.#episode(reading)
    episode?.record(reading.catalogue?.byName.get(name) ?? -1, args, readObservation(message.content))
  }

  #listing(content: string): ToolCatalogue | null {
    const known = this.#listings.get(content)
    if (known !== undefined) return known
    const tools = listedTools(parseCutJson(content) ?? null)
    const catalogue = tools === null ? null : catalogueOf(tools)
    if (this.#listings.size >= listingLimit) this.#listings.clear()
    this.#listings.set(content, catalogue)
    return catalogue
  }
}

export function isMetaSurface(tools: readonly ToolDefinition[]): boolean {
  return (
    tools.length <= 2 &&
    tools.some((tool) => tool.name === metaTools.list) &&
    tools.some((tool) => tool.name === metaTools.call)
  )
}

/** What the user said, all of it. */
function userText(messages: readonly Message[]): string {
  return messages
    .filter((message) => message.role === 'user')
    .map((message) => message.content)
    .join('\n')
}

function continues(reading: Reading, messages: readonly Message[]): boolean {
  if (messages.length < reading.read) return false
  if (reading.read > 0 && messages[reading.read - 1] !== reading.last) return false
  return !messages.slice(reading.read).some((message) => message.role === 'user')
}

function freshReading(messages: readonly Message[], catalogue: ToolCatalogue | null): Reading {
  return { read: 0, last: undefined, text: userText(messages), catalogue, episode: null, pending: new Map() }
}

function takeAssistant(reading: Reading, message: AssistantMessage, episode: Episode | null): void {
  for (const call of message.tool_calls ?? []) reading.pending.set(call.id, call)
  const phrase = /^Goal: (.+?)\. /.exec(message.reasoning_content ?? '')?.[1]
  if (episode !== null && phrase !== undefined) {
    episode.setIntent(episode.view.catalogue.byPhrase.get(phrase) ?? -1)
  }
}

/** The tool and arguments that a call means, `call_tool` taken off. */
function unwrapped(call: ChatToolCall): { name: string; args: JsonObject } {
  const outer = asArguments(parseJson(call.function.arguments))
  if (call.function.name !== metaTools.call) return { name: call.function.name, args: outer }
  const inner = typeof outer.arguments === 'string' ? parseJson(outer.arguments) : outer.arguments
  return { name: String(outer.tool_name ?? ''), args: asArguments(inner) }
}

const asArguments = (value: unknown): JsonObject => (isJsonObject(value as JsonObject) ? (value as JsonObject) : {})
