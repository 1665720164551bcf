import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { contentHash, fromFileError, RlenvError } from 'rlenv'
import { z } from 'zod'
import type { Adam } from '../weights/adam.ts'
import type { Model } from '../weights/model.ts'
import type { LearnerSettings } from './learner-settings.ts'

const stateFile = 'embedded.json'
const arraysFile = 'embedded.f64'

const stateSchema = z.strictObject({
  format: z.literal(1),
  policyVersion: z.int().min(0),
  weights: z.int().min(2),
  scale: z.number(),
  /** sha-256 of the arrays. */
  hash: z.string(),
})

/**
 * Writes weights, published weights and both moments as one block of little-endian doubles, and beside it what they are.
 * A gradient that was accumulated but not applied is not kept.
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
  const state: z.infer<typeof stateSchema> = {
    format: 1,
    policyVersion: model.policyVersion,
    weights: settings.weights,
    scale: settings.scale,
    hash: contentHash(bytes),
  }
  try {
    await writeFile(join(directory, arraysFile), bytes)
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
  const { state, bytes } = await readCheckpoint(directory)
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
  adam.forget()
  model.republished(state.policyVersion)
}

function arraysOf(model: Model, adam: Adam): Float64Array[] {
  return [model.weights, model.published, adam.firstMoments, adam.secondMoments]
}

async function readCheckpoint(directory: string): Promise<{ state: z.infer<typeof stateSchema>; bytes: Buffer }> {
  try {
    const state = stateSchema.parse(JSON.parse(await readFile(join(directory, stateFile), 'utf8')))
    const bytes = await readFile(join(directory, arraysFile))
    if (contentHash(bytes) !== state.hash) throw new Error(`${arraysFile} is not what was written`)
    return { state, bytes }
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
