import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { McpEnvironmentOptions, StdioServer } from '@rlenv/world-mcp'
import { describe, expect, test } from 'vitest'
import { everything } from './real-servers.ts'

const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name)

interface ProcessInfo {
  readonly pid: number
  readonly parent: number
  readonly group: number
}

/** Every process that has not ended. */
function processes(): readonly ProcessInfo[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const [state, parent, group] =
        readFileSync(`/proc/${Number(name)}/stat`, 'utf8')
          .split(') ')[1]
          ?.split(' ') ?? []
      return state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent), group: Number(group) }]
    } catch {
      return []
    }
  })
}

/** A process's descendants, with everything in their groups. */
function familyOf(pid: number): ReadonlySet<number> {
  const all = processes()
  const family = new Set<number>()
  for (let size = -1; family.size > size; ) {
    size = family.size
    for (const one of all) if (one.parent === pid || family.has(one.parent)) family.add(one.pid)
  }
  return family
}

async function hold(options: McpEnvironmentOptions): Promise<ChildProcess> {
  const holder = spawn(process.execPath, [fixture('holder.mjs'), JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(holder.stdout as NodeJS.ReadableStream, 'data')
  return holder
}

async function until(holds: () => boolean, ms: number): Promise<boolean> {
  const end = performance.now() + ms
  while (!holds() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 50))
  return holds()
}

const { command, args = [] } = everything.server as StdioServer
const stubborn: McpEnvironmentOptions = {
  ...everything,
  server: { command, args: [fixture('stubborn.mjs'), ...args] },
}

describe.skipIf(process.platform !== 'linux')('when a run is killed by SIGKILL', () => {
  test.each([
    ['published servers', everything, 4],
    ['servers that ignore the end of their input, and their children', stubborn, 7],
  ])('no server is left: %s', async (_what, options, least) => {
    const holder = await hold(options)
    const family = familyOf(holder.pid as number)
    expect(family.size).toBeGreaterThanOrEqual(least)
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    const left = () => processes().filter(({ pid }) => family.has(pid))
    expect(await until(() => left().length === 0, 20_000)).toBe(true)
  })
})
