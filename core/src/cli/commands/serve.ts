import { randomBytes } from 'node:crypto'
import type { Writable } from 'node:stream'
import { Flags } from '@oclif/core'
import type { World } from '../../hooks/world.ts'
import { slotContexts } from '../../pipeline/slot-contexts.ts'
import type { EnvironmentServer, EnvironmentServerOptions } from '../../serving/environment-server.ts'
import type { SessionBrokerOptions } from '../../serving/session-broker.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import { RlenvCommand, type Session } from '../rlenv-command.ts'
import { takeStdout } from '../serve/protocol-stdout.ts'
import { chosenSession, onlyOne, servedEnvironments } from '../serve/served-environments.ts'

type ServeFlags = Awaited<ReturnType<Serve['flagsOf']>>

export default class Serve extends RlenvCommand {
  static override readonly summary = 'Serve environments over MCP, OpenEnv and a control plane, until Ctrl-C.'
  static override readonly description =
    'Agents reach one session each, by an address that nobody can guess. Sessions are opened, reset and verified through the control plane, whose token comes from the environment variable RLENV_CONTROL_TOKEN or is made up and printed once. Set RLENV_SERVE_TOKEN to ask every client for a bearer token; without one, only this machine is served.'
  static override readonly examples = [
    '<%= config.bin %> serve --port 7400',
    '<%= config.bin %> serve --task public-library/t001',
    '<%= config.bin %> serve --stdio --environment public-library',
    '<%= config.bin %> serve --bundle environments --json',
  ]
  static override readonly flags = {
    ...RlenvCommand.configFlags,
    bundle: Flags.string({
      description: "A bundle, or a folder of bundles, to serve instead of the configuration's environments.",
    }),
    environment: Flags.string({ description: 'Open one session of this environment and keep it.' }),
    task: Flags.string({ description: 'Open that session for this task.' }),
    surface: Flags.option({
      description: 'Offer each tool, or list_tools and call_tool only.',
      options: ['direct', 'meta'] as const,
      default: 'direct',
    })(),
    stdio: Flags.boolean({ description: 'Serve that one session over stdin and stdout.', exclusive: ['json'] }),
    port: Flags.integer({ description: 'Port; 0 takes any free one.', default: 0, min: 0, max: 65_535 }),
    host: Flags.string({ description: 'Address to listen on.', default: '127.0.0.1' }),
    'allow-host': Flags.string({ description: 'Name under which clients may address this server.', multiple: true }),
    capacity: Flags.integer({ description: 'Sessions open at once.', default: 1_024, min: 1 }),
    queue: Flags.integer({ description: 'Requests that may wait for a session.', default: 1_024, min: 0 }),
    lease: Flags.integer({ description: 'Seconds without a sign of life that end a session.', default: 600, min: 1 }),
    'verifier-timeout': Flags.integer({
      description: 'Seconds that a verifier has for one verdict.',
      default: 60,
      min: 1,
    }),
    workers: Flags.integer({
      description: 'Processes that hold the worlds, so that one that hangs is ended alone; 0 holds them in the server.',
      default: 0,
      min: 0,
    }),
    openenv: Flags.option({
      description: 'Who may use the OpenEnv door: holders of the control token, every client, or nobody.',
      options: ['control', 'client', 'off'] as const,
      default: 'control',
    })(),
  }

  #printed = false

  override async run(): Promise<unknown> {
    const flags = await this.flagsOf()
    // Before the configuration is loaded, which may print.
    return this.#serve(flags, flags.stdio ? takeStdout() : null)
  }

  #serve(flags: ServeFlags, stdout: Writable | null): Promise<unknown> {
    return this.withSession(flags, [], async (session) => {
      const world = await ownWorld(session, flags)
      try {
        if (stdout === null) return await this.#serveHttp(session, flags, world)
        return await this.#serveStdio(session, flags, world, stdout)
      } finally {
        await world?.close()
      }
    })
  }

  async flagsOf() {
    return (await this.parse(Serve)).flags
  }

  /** The document is printed when the server listens, not when it ends. */
  protected override logJson(document: unknown): void {
    if (this.#printed) return
    this.#printed = true
    super.logJson(document)
  }

  async #serveStdio(session: Session, flags: ServeFlags, world: World | null, output: Writable): Promise<void> {
    const { SessionBroker } = await import('../../serving/session-broker.ts')
    const { serveStdio } = await import('../../serving/mcp/serve-stdio.ts')
    const environments = await servedEnvironments(session, flags.bundle)
    const choice = chosenSession(environments, flags) ?? {
      environmentId: onlyOne(environments).id,
      taskId: undefined,
    }
    const broker = new SessionBroker(this.#brokerOptions(session, flags, world, environments))
    try {
      const { signal } = session
      const opened = await broker.open({ ...choice, leaseMs: Number.POSITIVE_INFINITY, signal })
      await serveStdio({ session: opened, input: process.stdin, output, signal })
    } finally {
      await broker.shutdown()
    }
  }

  async #serveHttp(session: Session, flags: ServeFlags, world: World | null): Promise<unknown> {
    const { EnvironmentServer } = await import('../../serving/environment-server.ts')
    const environments = await servedEnvironments(session, flags.bundle)
    const choice = chosenSession(environments, flags)
    const server = await EnvironmentServer.start(this.#serverOptions(session, flags, world, environments))
    try {
      const kept = choice && (await server.broker.open({ ...choice, leaseMs: Number.POSITIVE_INFINITY }))
      const document = addresses(server, environments, kept?.handle ?? null)
      session.progress.finish()
      if (this.jsonEnabled()) this.logJson(document)
      else this.log(listing(document))
      await ended(session.signal)
      return document
    } finally {
      await server.close()
    }
  }

  #serverOptions(
    session: Session,
    flags: ServeFlags,
    world: World | null,
    environments: readonly Environment[],
  ): EnvironmentServerOptions {
    const { RLENV_SERVE_TOKEN: token, RLENV_CONTROL_TOKEN: given } = process.env
    const controlToken = given || randomBytes(24).toString('base64url')
    if (!given) process.stderr.write(`control token: ${controlToken}\n`)
    return {
      ...this.#brokerOptions(session, flags, world, environments),
      host: flags.host,
      port: flags.port,
      allowedHosts: flags['allow-host'] ?? [],
      token: token || null,
      controlToken,
      openEnv: flags.openenv === 'off' ? false : { access: flags.openenv },
    }
  }

  #brokerOptions(
    { pipeline, config, progress }: Session,
    flags: ServeFlags,
    world: World | null,
    environments: readonly Environment[],
  ): SessionBrokerOptions {
    const { toolTimeoutMs, maxResultChars, shardMemoryMib } = config.rollout
    return {
      environments,
      ...(world === null ? {} : { world }),
      pipeline,
      seed: config.seed,
      capacity: flags.capacity,
      queueLimit: flags.queue,
      leaseMs: flags.lease * 1_000,
      surface: flags.surface,
      limits: { toolTimeoutMs, maxResultChars, verifierTimeoutMs: flags['verifier-timeout'] * 1_000 },
      workers: flags.workers,
      workerMemoryMib: shardMemoryMib,
      log: (line) => progress.note(line),
    }
  }
}

/** What fills the slot in this process; null where workers fill it in theirs. */
async function ownWorld({ pipeline, config, emit, signal }: Session, flags: ServeFlags): Promise<World | null> {
  if (flags.workers > 0) return null
  return pipeline.slot('world', slotContexts(config.seed, emit, signal)('world'))
}

interface Addresses {
  readonly status: 'serving'
  readonly url: string
  /** Of the session that was opened at once, for MCP clients. */
  readonly mcp: string | null
  readonly handle: string | null
  readonly control: string
  /** For OpenEnv's clients, one address per dialect; null with `--openenv off`. */
  readonly openenv: EnvironmentServer['openEnvUrls']
  readonly health: string
  readonly metrics: string
  readonly environments: readonly { readonly id: string; readonly tasks: number }[]
}

function addresses(server: EnvironmentServer, environments: readonly Environment[], handle: string | null): Addresses {
  const { url } = server.address
  return {
    status: 'serving',
    url,
    mcp: handle === null ? null : server.mcpUrl(handle),
    handle,
    control: `${url}/control`,
    openenv: server.openEnvUrls,
    health: `${url}/health`,
    metrics: `${url}/metrics`,
    environments: environments.map(({ id, tasks }) => ({ id, tasks: tasks.length })),
  }
}

function listing({ url, mcp, control, openenv, environments }: Addresses): string {
  const tasks = environments.reduce((sum, environment) => sum + environment.tasks, 0)
  return [
    `serving ${environments.length} environments with ${tasks} tasks at ${url}; Ctrl-C ends it`,
    ...(mcp === null ? [] : [`mcp      ${mcp}`]),
    `control  ${control}`,
    ...(openenv === null ? [] : [`openenv  ${openenv.generic}`, `awm      ${openenv.awm}`]),
  ].join('\n')
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
