import { createRequire } from 'node:module'
import { definePlugin, type PluginFactory } from 'rlenv'
import { z } from 'zod'
import { environmentSchema, type McpEnvironmentOptions } from './environment-options.ts'
import { McpWorld } from './mcp-world.ts'
import { serverTarget } from './server-target.ts'

const { version } = createRequire(import.meta.url)('../package.json') as { version: string }

export interface McpWorldOptions {
  /** The environments of the run, each with its server and its tasks. */
  readonly environments: readonly McpEnvironmentOptions[]
  /** Milliseconds from a server's start until its tools are known. Default 20000. */
  readonly startTimeoutMs?: number
  /** Milliseconds one call may take; below `rollout.toolTimeoutMs`, so that the server hears of it. Default 25000. */
  readonly callTimeoutMs?: number
  /** Longest result that is kept, in characters. Default 200000. */
  readonly maxResultChars?: number
  /** Most instances at a time; set `rollout.maxConcurrentRollouts` to no more. Default 16. */
  readonly maxConcurrent?: number
  /** Servers that are started ahead of need, besides those in use. Default 1. */
  readonly prefetch?: number
  /** Stop before anything is played when one of several servers does not start. Default false: its rollouts are faults. */
  readonly strict?: boolean
}

/** Milliseconds that fit into a timer. */
const milliseconds = z
  .int()
  .min(1)
  .max(2 ** 31 - 1)

/** A world of MCP servers, which brings its environments along. Fills the slot `world`. */
export const mcpWorld: PluginFactory<McpWorldOptions> = definePlugin({
  name: '@rlenv/world-mcp',
  version,
  options: z.strictObject({
    environments: z
      .array(environmentSchema)
      .min(1)
      .readonly()
      .refine((list) => new Set(list.map(({ id }) => id)).size === list.length, 'two environments have one id'),
    startTimeoutMs: milliseconds.default(20_000),
    callTimeoutMs: milliseconds.default(25_000),
    maxResultChars: z.int().min(1).default(200_000),
    maxConcurrent: z.int().min(1).default(16),
    prefetch: z.int().min(0).default(1),
    strict: z.boolean().default(false),
  }),
  setup: ({ environments, ...settings }, { secret }) => ({
    world: ({ log }) => {
      const places = environments.map((options) => ({
        options,
        target: serverTarget(options.server, secret),
      }))
      return new McpWorld(places, settings, log)
    },
  }),
})
