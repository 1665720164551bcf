import type { DraftWorld, Json, JsonSchema, RandomStream, StateDiff, Task, ToolDefinition } from 'rlenv'

/** What an agent left behind. */
export interface Played {
  readonly diff: StateDiff
  readonly answer: string
}

const mostTurns = 12

/**
 * Plays with every choice uniform: a tool or the end, ids out of those it has seen, words out of the task's text, an
 * answer out of what it saw last.
 */
export async function playUniformly(task: Task, world: DraftWorld, random: RandomStream): Promise<Played> {
  const instance = world.open()
  const spans = task.instruction.match(/"[^"]+"|[\w.@+:'-]+(?: [A-Z][\w-]*)*/g) ?? ['x']
  const seen = new Map<string, Json[]>()
  let last: Json = ''
  try {
    for (let turn = 0; turn < mostTurns && !random.chance(1 / (instance.tools.length + 1)); turn++) {
      const tool = random.pick(instance.tools)
      const { result } = await instance.call(
        tool.name,
        argumentsOf(tool, spans, seen, random),
        new AbortController().signal,
      )
      if (!result.ok) continue
      last = result.content
      remember(last, seen)
    }
    const state = await instance.capture()
    const cells = scalars(last)
    const answer = Array.isArray(last) && random.chance(0.5) ? last.length : cells.length > 0 ? random.pick(cells) : ''
    return { diff: state?.diff ?? [], answer: String(answer) }
  } finally {
    await instance.close()
  }
}

function argumentsOf(
  tool: ToolDefinition,
  spans: readonly string[],
  seen: ReadonlyMap<string, readonly Json[]>,
  random: RandomStream,
): Json {
  const properties = tool.inputSchema.properties as Readonly<Record<string, JsonSchema>>
  const required = tool.inputSchema.required as readonly string[]
  const given = Object.entries(properties).filter(([name]) => required.includes(name) || random.chance(0.5))
  return Object.fromEntries(given.map(([name, schema]) => [name, argumentOf(name, schema, spans, seen, random)]))
}

function argumentOf(
  name: string,
  schema: JsonSchema,
  spans: readonly string[],
  seen: ReadonlyMap<string, readonly Json[]>,
  random: RandomStream,
): Json {
  if (Array.isArray(schema.enum)) return random.pick(schema.enum as readonly Json[])
  const ids = seen.get('id') ?? []
  if (/(?:^|_)id$|Id$/.test(name))
    return ids.length > 0 ? random.pick(ids) : schema.type === 'string' ? 'ABC10000' : 10_000
  if (schema.type === 'string') return random.pick(spans).replaceAll('"', '')
  const numbers = spans.map(Number).filter((number) => Number.isFinite(number))
  return numbers.length > 0 ? random.pick(numbers) : 1
}

function remember(content: Json, seen: Map<string, Json[]>): void {
  if (Array.isArray(content)) {
    for (const item of content as readonly Json[]) remember(item, seen)
  } else if (content !== null && typeof content === 'object') {
    for (const [key, value] of Object.entries(content)) {
      if (/(?:^|_)id$|Id$/.test(key)) seen.set('id', [...(seen.get('id') ?? []), value])
    }
  }
}

function scalars(content: Json): Json[] {
  if (content === null || typeof content !== 'object') return [content]
  return Object.values(content).flatMap(scalars)
}
