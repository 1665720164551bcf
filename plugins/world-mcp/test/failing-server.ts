import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { McpServer } from '@rlenv/world-mcp'

const script = fileURLToPath(new URL('fixtures/failing-server.mjs', import.meta.url))

/** `typed` is made with the SDK's McpServer, `plain` with its low-level Server; HTTP answers are streams or single JSONs. */
export type ServerKind = 'typed' | 'plain'
export type Way = 'stdio' | 'stream' | 'json'

/** Servers of the tools in `fixtures/failing-tools.mjs`, which go wrong in every way there is. */
export class FailingServers {
  readonly #processes: ChildProcess[] = []

  /** How to reach one; over HTTP it runs already. */
  async start(kind: ServerKind, way: Way): Promise<McpServer> {
    const args = [script, kind, way]
    if (way === 'stdio') return { command: process.execPath, args }
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#processes.push(child)
    for await (const url of createInterface(child.stdout)) return { url }
    throw new Error(`the server ended with ${child.exitCode}`)
  }

  stop(): void {
    for (const child of this.#processes.splice(0)) child.kill()
  }
}
