import { readFile, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { writeFileAtomic } from '../artifacts/write-file-atomic.ts'
import { errnoOf } from '../errors/file-error.ts'
import { RlenvError } from '../errors/rlenv-error.ts'

const holderSchema = z.object({ pid: z.int(), host: z.string() })

const lockPath = (folder: string) => join(folder, 'run.lock')

/**
 * Notes that this process writes the folder. What a killed process left behind is taken over; two starts at the very same
 * moment are not told apart.
 *
 * @throws {RlenvError} RLENV_RESUME_REFUSED when another process of this machine is at it.
 */
export async function lockRun(folder: string): Promise<void> {
  const holder = await readHolder(folder)
  const isOther = holder !== null && holder.host === hostname() && holder.pid !== process.pid
  if (isOther && isAlive(holder.pid)) {
    throw new RlenvError(`process ${holder.pid} is writing ${folder}`, {
      code: 'RLENV_RESUME_REFUSED',
      fix: `Wait until it has ended, or remove ${lockPath(folder)} when that process is none of rlenv's.`,
    })
  }
  await writeFileAtomic(lockPath(folder), `${JSON.stringify({ pid: process.pid, host: hostname() })}\n`)
}

export async function unlockRun(folder: string): Promise<void> {
  await rm(lockPath(folder), { force: true })
}

/** Whether a process of this machine is at it. */
export async function isBeingWritten(folder: string): Promise<boolean> {
  const holder = await readHolder(folder)
  return holder !== null && holder.host === hostname() && isAlive(holder.pid)
}

async function readHolder(folder: string): Promise<z.infer<typeof holderSchema> | null> {
  try {
    return holderSchema.safeParse(JSON.parse(await readFile(lockPath(folder), 'utf8'))).data ?? null
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT' || cause instanceof SyntaxError) return null
    throw cause
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return errnoOf(cause) === 'EPERM'
  }
}
