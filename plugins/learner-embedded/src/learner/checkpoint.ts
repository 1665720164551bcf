import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { contentHash, fromFileError, RlenvError, type ToolDefinition } from 'rlenv'
import { z } from 'zod'
import { rememberedTools, rememberTools } from '../transcript/tool-registry.ts'
import type { Adam } from '../weights/adam.ts'
import type { Model } from '../weights/model.ts'
import type { LearnerSettings } from './learner-settings.ts'

const stateFile = 'embedded.json'
const arraysFile = 'embedded.f64'
const toolsFile = 'tools.json'

const stateSchema = z.strictObject({
  format: z.literal(1),
  policyVersion: z.int().min(0),
  weights: z.int().min(2),
  scale: z.number(),
  /** sha-256 of the arrays. */
  hash: z.string(),
  /** sha-256 of the tool lists. */
  toolsHash: z.string(),
})

/** Of what this learner wrote itself, so much as is read without looking. */
const toolsSchema = z.array(z.array(z.custom<ToolDefinition>((tool) => typeof tool === 'object' && tool !== null)))

/**
 * Writes weights, published weights and both moments as one block of little-endian doubles, and beside it what they are;
 * and the tool lists that were offered directly, which rollouts that are trained on later name by their hash. A gradient
 * that was accumulated but not applied is not kept.
 *
 * @throws {RlenvError} RLENV_DISK_FULL, RLENV_OUTPUT_UNWRITABLE
 */
export async function saveCheckpoint(
  directory: string,
  settings: LearnerSettings,
  model: Model,
  adam: Adam,
): Promise<void> {
  const bytes = Buffer.concat(arraysOf(model, adam).map((array) => Buffer.from(array.buffer)))
  const tools = `${JSON.stringify(rememberedTools())}\n`
  const state: z.infer<typeof stateSchema> = {
    format: 1,
    policyVersion: model.policyVersion,
    weights: settings.weights,
    scale: settings.scale,
    hash: contentHash(bytes),
    toolsHash: contentHash(tools),
  }
  try {
    await writeFile(join(directory, arraysFile), bytes)
    await writeFile(join(directory, toolsFile), tools)
    await writeFile(join(directory, stateFile), `${JSON.stringify(state, null, 2)}\n`)
  } catch (cause) {
    throw fromFileError(cause, directory)
  }
}

/** @throws {RlenvError} RLENV_CHECKPOINT_INVALID when files are missing, damaged, or of a learner with other settings. */
export async function loadCheckpoint(
  directory: string,
  settings: LearnerSettings,
  model: Model,
  adam: Adam,
): Promise<void> {
  const { state, bytes, tools } = await readCheckpoint(directory)
  for (const name of ['weights', 'scale'] as const) {
    if (state[name] === settings[name]) continue
    throw invalid(directory, `its ${name} is ${state[name]}, this learner's ${settings[name]}`)
  }
  const arrays = arraysOf(model, adam)
  const size = settings.weights * Float64Array.BYTES_PER_ELEMENT
  if (bytes.length !== size * arrays.length) throw invalid(directory, `${arraysFile} holds ${bytes.length} bytes`)
  for (const [i, array] of arrays.entries()) {
    Buffer.from(array.buffer).set(bytes.subarray(i * size, (i + 1) * size))
  }
  for (const list of tools) rememberTools(list)
  adam.forget()
  model.republished(state.policyVersion)
}

function arraysOf(model: Model, adam: Adam): Float64Array[] {
  return [model.weights, model.published, adam.firstMoments, adam.secondMoments]
}

interface ReadCheckpoint {
  readonly state: z.infer<typeof stateSchema>
  readonly bytes: Buffer
  readonly tools: readonly (readonly ToolDefinition[])[]
}

async function readCheckpoint(directory: string): Promise<ReadCheckpoint> {
  try {
    const state = stateSchema.parse(JSON.parse(await readFile(join(directory, stateFile), 'utf8')))
    const bytes = await readFile(join(directory, arraysFile))
    if (contentHash(bytes) !== state.hash) throw new Error(`${arraysFile} is not what was written`)
    const text = await readFile(join(directory, toolsFile), 'utf8')
    if (contentHash(text) !== state.toolsHash) throw new Error(`${toolsFile} is not what was written`)
    return { state, bytes, tools: toolsSchema.parse(JSON.parse(text)) }
  } catch (cause) {
    throw invalid(directory, cause instanceof Error ? cause.message : String(cause), cause)
  }
}

function invalid(directory: string, why: string, cause?: unknown): RlenvError {
  return new RlenvError(`${directory} holds no state of the embedded learner: ${why}`, {
    code: 'RLENV_CHECKPOINT_INVALID',
    fix: 'Resume from an earlier checkpoint of this run, with the same learner options.',
    ...(cause === undefined ? {} : { cause }),
  })
}
