import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { makeFolder } from '../artifacts/make-folder.ts'
import { temporaryPath, writeFileAtomic } from '../artifacts/write-file-atomic.ts'
import { errnoOf, writeError } from '../errors/file-error.ts'
import { isRlenvError, messageOf, RlenvError } from '../errors/rlenv-error.ts'
import type { SpillBuffer } from '../hooks/plugin.ts'
import { type Json, jsonSchema } from '../vocabulary/json.ts'
import { readMemory, writeMemory } from './memory-file.ts'
import type { PinnedSnapshot } from './policy-pins.ts'
import { type TrainingFingerprint, trainingFingerprintSchema } from './training-fingerprint.ts'

/** Sums over all finished steps. */
export interface TrainingCounters {
  readonly rollouts: number
  readonly optimizerSteps: number
  readonly deadSteps: number
}

/** Everything that training needs to go on as if it had never stopped, besides the learner's own files. */
export interface TrainingCheckpoint {
  readonly format: 1
  /** Steps that are finished; the next one has this index. */
  readonly finishedSteps: number
  /** Ordinal of the oldest draw that was not trained on. Draws in flight are issued again from here. */
  readonly frontier: number
  readonly policyVersion: number
  readonly sampler: Json
  /** sha-256, hex, of the file with what the groups chain remembered. */
  readonly memoryHash: string
  /** Past versions of the policy that steps in flight sample with; empty unless collection runs ahead. */
  readonly pinned: readonly { readonly finishedSteps: number; readonly version: number }[]
  readonly deadStreak: { readonly steps: number; readonly causes: Readonly<Record<string, number>> }
  readonly counters: TrainingCounters
  readonly fingerprint: TrainingFingerprint
}

const count = z.int().min(0)

const checkpointSchema: z.ZodType<TrainingCheckpoint> = z.strictObject({
  format: z.literal(1),
  finishedSteps: count,
  frontier: count,
  policyVersion: count,
  sampler: jsonSchema,
  memoryHash: z.string(),
  pinned: z.array(z.strictObject({ finishedSteps: count, version: count })),
  deadStreak: z.strictObject({ steps: count, causes: z.record(z.string(), count) }),
  counters: z.strictObject({ rollouts: count, optimizerSteps: count, deadSteps: count }),
  fingerprint: trainingFingerprintSchema,
})

/** A checkpoint on disk. */
export interface SavedCheckpoint {
  readonly checkpoint: TrainingCheckpoint
  readonly directory: string
  /** The learner's own folder inside it. */
  readonly learnerDirectory: string
  /**
   * What the groups chain remembered; what was kept lies in the buffer then.
   *
   * @throws {RlenvError} RLENV_CHECKPOINT_INVALID when it is damaged.
   */
  readMemory(buffer: SpillBuffer): Promise<Json>
  readonly pinned: readonly PinnedSnapshot[]
}

/** What one checkpoint is written from. */
export interface CheckpointParts {
  readonly checkpoint: Omit<TrainingCheckpoint, 'format' | 'pinned' | 'memoryHash'>
  readonly memory: Json
  readonly pinned: readonly PinnedSnapshot[]
  /** Writes the learner's files into an empty folder. */
  readonly saveLearner: (directory: string) => Promise<void>
}

/**
 * Writes one checkpoint as a whole folder or not at all: into a temporary folder, then renamed, then named by the file
 * `latest`. A kill at any moment leaves the previous one in force.
 * ```
 * step_<N>/checkpoint.json  memory.jsonl  learner/  policies/after_<steps>.bin
 * ```
 *
 * @throws {RlenvError} RLENV_DISK_FULL, RLENV_OUTPUT_UNWRITABLE, or what the learner throws.
 */
export async function saveCheckpoint(
  root: string,
  { checkpoint, memory, pinned, saveLearner }: CheckpointParts,
): Promise<string> {
  const versions = pinned.map(({ finishedSteps, version }) => ({ finishedSteps, version }))
  const name = `step_${checkpoint.finishedSteps}`
  const directory = join(root, name)
  const temporary = temporaryPath(directory)
  try {
    await onDisk(directory, () => makeFolder(join(temporary, 'learner')))
    await saveLearner(join(temporary, 'learner'))
    const memoryHash = await onDisk(directory, () => writeMemory(join(temporary, memoryFile), memory))
    const whole: TrainingCheckpoint = { format: 1, ...checkpoint, memoryHash, pinned: versions }
    await onDisk(directory, () => writePinned(temporary, pinned))
    await writeFileAtomic(join(temporary, 'checkpoint.json'), `${JSON.stringify(whole, null, 2)}\n`)
    await onDisk(directory, async () => {
      await rm(directory, { recursive: true, force: true })
      await rename(temporary, directory)
    })
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
  await writeFileAtomic(join(root, 'latest'), `${name}\n`)
  return directory
}

/**
 * The checkpoint that `latest` names; null when none was ever finished.
 *
 * @throws {RlenvError} RLENV_CHECKPOINT_INVALID when it is missing, damaged or of another format.
 */
export async function loadCheckpoint(root: string): Promise<SavedCheckpoint | null> {
  const name = await readIfPresent(join(root, 'latest'))
  if (name === null) return null
  const directory = join(root, name.trim())
  const text = /^step_\d+$/.test(name.trim()) ? await readIfPresent(join(directory, 'checkpoint.json')) : null
  if (text === null) throw invalid(directory, 'it does not exist')
  const checkpoint = parseCheckpoint(text, directory)
  return {
    checkpoint,
    directory,
    learnerDirectory: join(directory, 'learner'),
    readMemory: (buffer) => memoryOf(directory, checkpoint, buffer),
    pinned: await readPinned(directory, checkpoint),
  }
}

/** Removes all but the newest checkpoints up to the one that was just written; later ones belong to another course. */
export async function pruneCheckpoints(root: string, kept: number, newest: number): Promise<void> {
  await onDisk(root, async () => {
    const steps = (await readdir(root)).flatMap((name) => /^step_(\d+)$/.exec(name)?.[1] ?? []).map(Number)
    const old = steps
      .filter((step) => step <= newest)
      .sort((a, b) => b - a)
      .slice(kept)
    for (const step of old) await rm(join(root, `step_${step}`), { recursive: true, force: true })
  })
}

const memoryFile = 'memory.jsonl'

const policyPath = (directory: string, finishedSteps: number) => {
  return join(directory, 'policies', `after_${finishedSteps}.bin`)
}

async function writePinned(directory: string, pinned: readonly PinnedSnapshot[]): Promise<void> {
  if (pinned.length === 0) return
  await makeFolder(join(directory, 'policies'))
  for (const { finishedSteps, state } of pinned) await writeFile(policyPath(directory, finishedSteps), state)
}

async function readPinned(directory: string, { pinned }: TrainingCheckpoint): Promise<readonly PinnedSnapshot[]> {
  const snapshots: PinnedSnapshot[] = []
  for (const { finishedSteps, version } of pinned) {
    try {
      snapshots.push({ finishedSteps, version, state: await readFile(policyPath(directory, finishedSteps)) })
    } catch (cause) {
      throw invalid(directory, `the policy after ${finishedSteps} steps is missing: ${messageOf(cause)}`, cause)
    }
  }
  return snapshots
}

async function memoryOf(directory: string, { memoryHash }: TrainingCheckpoint, buffer: SpillBuffer): Promise<Json> {
  try {
    return await readMemory(join(directory, memoryFile), memoryHash, buffer)
  } catch (cause) {
    throw invalid(directory, `${memoryFile}: ${messageOf(cause)}`, cause)
  }
}

function parseCheckpoint(text: string, directory: string): TrainingCheckpoint {
  try {
    return checkpointSchema.parse(JSON.parse(text))
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : messageOf(cause)
    throw invalid(directory, why, cause)
  }
}

function invalid(directory: string, why: string, cause?: unknown): RlenvError {
  return new RlenvError(`the checkpoint ${directory} cannot be read: ${why}`, {
    code: 'RLENV_CHECKPOINT_INVALID',
    fix: 'Write the name of an older checkpoint folder into the file "latest" beside it, or start a new run.',
    cause,
  })
}

async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return null
    throw invalid(path, messageOf(cause), cause)
  }
}

async function onDisk<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (cause) {
    throw isRlenvError(cause) ? cause : writeError(path, cause)
  }
}
