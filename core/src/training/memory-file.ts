import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { z } from 'zod'
import { isKept } from '../artifacts/spill-store.ts'
import { messageOf, RlenvError } from '../errors/rlenv-error.ts'
import type { SpillBuffer } from '../hooks/plugin.ts'
import { readJsonl } from '../runs/read-jsonl.ts'
import type { Json } from '../vocabulary/json.ts'

/** Values that lie deeper than this are written whole, in one line. */
const deepestSplit = 4

/** Bytes that are handed to the file system at a time. */
const chunkBytes = 1 << 20

type Path = readonly (string | number)[]

/** One line: a value with its place, one that the run's buffer keeps, or a container whose values follow. */
const lineSchema = z.union([
  z.strictObject({ at: z.array(z.union([z.string(), z.number()])), open: z.enum(['object', 'array']) }),
  z.strictObject({ at: z.array(z.union([z.string(), z.number()])), value: z.custom<Json>() }),
  z.strictObject({ at: z.array(z.union([z.string(), z.number()])), kept: z.custom<Json>() }),
])

type Line = z.infer<typeof lineSchema>
type Container = Json[] | Record<string, Json>

/**
 * Writes a value of any size as JSON lines, piece by piece: neither one text nor one pause holds all of it.
 * ```
 * {"at":[],"open":"object"}
 * {"at":["my-plugin"],"open":"object"}
 * {"at":["my-plugin","seen"],"value":…}
 * {"at":["my-plugin","best"],"kept":…}
 * ```
 *
 * @returns the sha-256 of the file, hex.
 * @throws {RlenvError} RLENV_PLUGIN_RETURNED_INVALID for what cannot be JSON; otherwise what the file system says.
 */
export async function writeMemory(path: string, memory: Json): Promise<string> {
  const hash = createHash('sha256')
  const file = await open(path, 'wx')
  try {
    let chunk: string[] = []
    let size = 0
    for (const line of linesOf([], memory)) {
      chunk.push(`${textOf(line)}\n`)
      size += chunk.at(-1)?.length ?? 0
      if (size < chunkBytes) continue
      await append(file, chunk.join(''), hash)
      chunk = []
      size = 0
    }
    await append(file, chunk.join(''), hash)
    await file.sync()
  } finally {
    await file.close()
  }
  return hash.digest('hex')
}

async function append(file: FileHandle, text: string, hash: ReturnType<typeof createHash>): Promise<void> {
  const bytes = Buffer.from(text)
  hash.update(bytes)
  await file.writeFile(bytes)
}

function textOf(line: Line): string {
  try {
    return JSON.stringify(line)
  } catch (cause) {
    throw new RlenvError(`what is remembered at ${line.at.join('/')} cannot be saved: ${messageOf(cause)}`, {
      code: 'RLENV_PLUGIN_RETURNED_INVALID',
      plugin: String(line.at[0]),
      hook: 'groups',
      fix: 'Remember JSON: objects, lists, texts and numbers that do not refer to themselves; no bigints.',
      cause,
    })
  }
}

/** As in JSON, undefined is null in a list, and a property without a value is none. */
function* linesOf(at: Path, value: Json): Generator<Line, void, void> {
  if (isKept(value)) {
    yield { at: [...at], kept: value.read() ?? null }
    return
  }
  if (value === null || typeof value !== 'object' || isWhole(value, at.length)) {
    yield { at: [...at], value: value ?? null }
    return
  }
  yield { at: [...at], open: Array.isArray(value) ? 'array' : 'object' }
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value)
  for (const [key, inner] of entries) {
    if (inner !== undefined || Array.isArray(value)) yield* linesOf([...at, key], inner)
  }
}

/** What holds kept values is split at any depth, so that they are read from the buffer one after the other. */
function isWhole(value: object, depth: number): boolean {
  return depth >= deepestSplit && !Object.values(value).some(isKept)
}

/**
 * Reads what {@link writeMemory} wrote. What was kept is kept in `buffer` again, one value after the other.
 *
 * @throws {Error} saying what is wrong when it is not the file of that hash.
 */
export async function readMemory(path: string, hash: string, buffer: SpillBuffer): Promise<Json> {
  const found = createHash('sha256')
  for await (const piece of createReadStream(path)) found.update(piece as Buffer)
  if (found.digest('hex') !== hash) throw new Error('it is not the one that was written')
  const root: Container = []
  for await (const { value, line } of readJsonl(path)) {
    const parsed = lineSchema.safeParse(value)
    if (!parsed.success || !placed(root, parsed.data, buffer)) throw new Error(`line ${line} has no place`)
  }
  if (root[0] === undefined) throw new Error('it is empty')
  return root[0]
}

/** Puts a line where it belongs below the only element of `root`; false when nothing was opened there. */
function placed(root: Json[], line: Line, buffer: SpillBuffer): boolean {
  const path: Path = [0, ...line.at]
  let container: Container = root
  for (const key of path.slice(0, -1)) {
    const inner: Json | undefined = Object.hasOwn(container, key) ? Reflect.get(container, key) : undefined
    if (inner === null || typeof inner !== 'object') return false
    container = inner as Container
  }
  const value = contentOfLine(line, buffer)
  const key = path.at(-1) ?? 0
  return Reflect.defineProperty(container, key, { value, enumerable: true, writable: true, configurable: true })
}

function contentOfLine(line: Line, buffer: SpillBuffer): unknown {
  if ('value' in line) return line.value
  if ('kept' in line) return buffer.keep(line.kept)
  return line.open === 'array' ? [] : {}
}
