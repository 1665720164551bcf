import { totalmem } from 'node:os'

/** MiB for each of so many shards and the orchestrator, with a fifth left to everybody else. */
export function shareOfMemory(shards: number): number {
  return Math.max(1024, Math.floor((0.8 * totalmem()) / 2 ** 20 / (shards + 1)))
}
