import { type JsonObject, type SecretReference, secretSchema } from 'rlenv'
import { z } from 'zod'

/** A call that the world makes by itself. */
export interface WorldCall {
  /** The server's own name of the tool. */
  readonly tool: string
  /** Default none. */
  readonly arguments?: JsonObject
}

/** What both kinds of servers may be told. */
export interface ServerTraits {
  /** The server's own names of the tools to offer. Default: all. */
  readonly tools?: readonly string[]
  /**
   * Called whenever an instance opens, for state that outlives a connection. A server behind a URL has one such state for
   * all its sessions, so only one instance of it is open at a time then.
   */
  readonly reset?: WorldCall
  /** A read-only tool that returns the world's state, for verifiers. Default: the state is not seen. */
  readonly state?: WorldCall
}

/** A server that is started, once per instance, and spoken to over its standard streams. */
export interface StdioServer extends ServerTraits {
  /** Started without a shell. `{workspace}` in command, args, env and cwd stands for the instance's own folder. */
  readonly command: string
  readonly args?: readonly string[]
  /** Added to PATH, HOME, LANG, TMPDIR and the like; nothing else of this process's environment reaches the server. */
  readonly env?: Readonly<Record<string, string | SecretReference>>
  /** Default: the workspace if there is one, otherwise this process's folder. */
  readonly cwd?: string
  /**
   * Gives each instance a folder of its own, which is removed with it: an empty one, or a copy of this folder. In calls and
   * results it is called `/workspace`, so that equal calls have equal results.
   */
  readonly workspace?: true | string
}

/** A server that runs elsewhere and is spoken to over streamable HTTP, in one session per instance. */
export interface HttpServer extends ServerTraits {
  readonly url: string
  /** Header values come out of environment variables only: `{ Authorization: secret('MCP_AUTHORIZATION') }`. */
  readonly headers?: Readonly<Record<string, SecretReference>>
}

export type McpServer = StdioServer | HttpServer

const call = z.strictObject({ tool: z.string().min(1), arguments: z.record(z.string(), z.json()).optional() })

const traits = {
  tools: z.array(z.string().min(1)).min(1).readonly().optional(),
  reset: call.optional(),
  state: call.optional(),
}

const stdioServer = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).readonly().optional(),
  env: z.record(z.string(), z.union([z.string(), secretSchema])).optional(),
  cwd: z.string().min(1).optional(),
  workspace: z.union([z.literal(true), z.string().min(1)]).optional(),
  ...traits,
})

const httpServer = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), secretSchema).optional(),
  ...traits,
})

/** Chosen by the key that only one of them has, so that a misspelt option is named. */
export const serverSchema = z.unknown().transform((value, context): McpServer => {
  const hasUrl = typeof value === 'object' && value !== null && 'url' in value
  const parsed = (hasUrl ? httpServer : stdioServer).safeParse(value)
  if (parsed.success) return parsed.data as McpServer
  for (const issue of parsed.error.issues) context.issues.push({ ...issue, input: value } as never)
  return z.NEVER
})

export const isHttpServer = (server: McpServer): server is HttpServer => 'url' in server
