import { join } from 'node:path'
import { RlenvError } from '../errors/rlenv-error.ts'
import { namesIn } from './names-in.ts'
import { configHash, type RunIdentity } from './run-folder.ts'
import { type RunMetadata, readMetadata } from './run-metadata.ts'

export interface FoundRun {
  readonly directory: string
  readonly metadata: RunMetadata
}

/**
 * The runs in a folder, those that were started or resumed last first. A folder that is none, for example one whose run
 * was killed while it was made, is left out.
 */
export async function runsBelow(folder: string): Promise<readonly FoundRun[]> {
  const found: FoundRun[] = []
  for (const name of await namesIn(folder)) {
    const directory = join(folder, name)
    const metadata = await metadataOf(directory)
    if (metadata !== null && metadata.attempts.length > 0) found.push({ directory, metadata })
  }
  return found.sort((a, b) => inOrder.compare(beginOf(b), beginOf(a)) || inOrder.compare(b.directory, a.directory))
}

/** Of two that began in the same millisecond the one with the higher number counts as the later. */
const inOrder = new Intl.Collator('en', { numeric: true })

/** The latest run of this name, model and configuration; null when there is none. */
export async function latestRunLike({ root, kind, name, model, config }: RunIdentity): Promise<string | null> {
  const hash = configHash(config)
  const isLike = ({ metadata }: FoundRun) =>
    metadata.config_hash === hash && metadata.name === name && metadata.model === model
  return (await runsBelow(join(root, kind))).find(isLike)?.directory ?? null
}

/** Whether its last start ended well. */
export function hasEndedWell({ metadata }: FoundRun): boolean {
  return metadata.attempts.at(-1)?.status === 'done'
}

async function metadataOf(directory: string): Promise<RunMetadata | null> {
  try {
    return await readMetadata(directory)
  } catch (cause) {
    if (cause instanceof RlenvError) return null
    throw cause
  }
}

const beginOf = ({ metadata }: FoundRun): string => metadata.attempts.at(-1)?.started_at ?? ''
