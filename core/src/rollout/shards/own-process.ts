import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { type GuardNote, type GuardOrders, guardFd } from './guard-note.ts'
import type { LinkSetup } from './shard-link.ts'
import { ShardMarks } from './shard-marks.ts'

/** A process that is watched, from its inside. */
export interface OwnProcess<Setup extends LinkSetup, To, From> {
  readonly channel: {
    send(message: From): void
    /** Called once. */
    listen(take: (message: To) => void): void
  }
  /** Starts the guard, which reads the marks. */
  marks(setup: Setup): Promise<ShardMarks>
  exit(): void
}

/** A process has a guard, and ends with the orchestrator. */
export function ownProcess<Setup extends LinkSetup, To, From>(): OwnProcess<Setup, To, From> {
  // Ctrl-C reaches the whole group of processes; what becomes of a run is the orchestrator's to decide.
  process.on('SIGINT', () => undefined)
  process.on('disconnect', () => process.exit(0))
  return {
    channel: {
      send: (message) => void process.send?.(message, undefined, undefined, () => undefined),
      listen: (take) => void process.on('message', (message) => take(message as To)),
    },
    marks: async (setup) => guarded(setup),
    exit: () => process.exit(0),
  }
}

async function guarded({ sectionLimits, memoryMib }: LinkSetup): Promise<ShardMarks> {
  const marks = new ShardMarks()
  const orders: GuardOrders = { marks: marks.buffer, sectionLimits, memoryMib, parentPid: process.ppid, fd: guardFd }
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const guard = new Worker(new URL(`./shard-guard.${extension}`, import.meta.url), { workerData: orders })
  await once(guard, 'online')
  process.once('exit', () => noteEnd(marks))
  return marks
}

/** Who calls process.exit() does so in a section; what the guard saw last may have been another one. */
function noteEnd(marks: ShardMarks): void {
  const mark = marks.read()
  const note: GuardNote | null = mark === null ? null : { kind: 'within', mark }
  try {
    if (note !== null) writeSync(guardFd, `${JSON.stringify(note)}\n`)
  } catch {
    // Nobody reads: the orchestrator is gone.
  }
}
