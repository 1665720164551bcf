import { contentHash, type SecretReference } from 'rlenv'
import { isHttpServer, type McpServer, type WorldCall } from './server-options.ts'

/** A server as it is started or reached, secrets filled in. Never logged. */
export type ServerTarget = StdioTarget | HttpTarget

interface TargetTraits {
  /** Equal for equal options. */
  readonly key: string
  /** For people: the command line or the URL, without secrets. */
  readonly label: string
  readonly offered: readonly string[] | null
  readonly reset: WorldCall | null
  readonly state: WorldCall | null
  /** Whether its state is one for all sessions, so that only one instance can be open at a time. */
  readonly isShared: boolean
}

export interface StdioTarget extends TargetTraits {
  readonly kind: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | null
  readonly workspace: true | string | null
}

export interface HttpTarget extends TargetTraits {
  readonly kind: 'http'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
}

export type ReadSecret = (reference: SecretReference) => string

/** @throws {RlenvError} RLENV_SECRET_MISSING when a variable that is named is not set. */
export function serverTarget(server: McpServer, secret: ReadSecret): ServerTarget {
  const { tools = null, reset = null, state = null } = server
  const traits = {
    key: contentHash(server),
    offered: tools,
    reset,
    state,
    isShared: isHttpServer(server) && reset !== null,
  }
  if (isHttpServer(server)) {
    const url = new URL(server.url)
    const headers = valuesOf(server.headers ?? {}, secret)
    return { ...traits, kind: 'http', label: `${url.origin}${url.pathname}`, url, headers }
  }
  const { command, args = [], env = {}, cwd = null, workspace = null } = server
  const label = `\`${[command, ...args].join(' ')}\``
  return { ...traits, kind: 'stdio', label, command, args, env: valuesOf(env, secret), cwd, workspace }
}

function valuesOf(
  values: Readonly<Record<string, string | SecretReference>>,
  secret: ReadSecret,
): Readonly<Record<string, string>> {
  const read = Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value : secret(value)])
  return Object.fromEntries(read)
}
