import { readdirSync, readFileSync } from 'node:fs'
import type { WorldInstance } from 'rlenv'
import { call } from './notes-server.ts'

/** Whether a process runs; one that has ended and was not waited for does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

/** Processes of a group besides those that have ended. */
export function groupOf(group: number): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      if (!Number.isInteger(pid) || pid === 0) return false
      try {
        const [state, , pgrp] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
        return Number(pgrp) === group && state !== 'Z'
      } catch {
        return false
      }
    })
}

/** Whether it comes to hold in time. */
export async function until(holds: () => boolean, ms = 10_000): Promise<boolean> {
  const end = performance.now() + ms
  while (!holds() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20))
  return holds()
}

/** Of the server behind an instance. */
export async function pidOf(instance: WorldInstance): Promise<number> {
  const result = await call(instance, 'pid')
  return Number(result.ok && result.content)
}
