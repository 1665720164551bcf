import { once } from 'node:events'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type Environment, SessionBroker } from 'rlenv'
import { WebSocket } from 'ws'
import type { Project } from './project.ts'
import { whileServing } from './served-command.ts'

type Transport = Parameters<Client['connect']>[0]

export interface Asked {
  readonly tool: string
  readonly arguments: Readonly<Record<string, string | number>>
}

/** What every door tells of a call: the kind and code of an error, and what was said, which is an error's message. */
export interface Told {
  readonly error: { readonly kind: string; readonly code: string } | null
  readonly said: string
}

/** A way to a session of its own, in which calls are made one after the other. */
export type Door = (project: Project, environment: Environment, calls: readonly Asked[]) => Promise<readonly Told[]>

interface ErrorParts {
  readonly kind: string
  readonly code: string
  readonly message: string
}

const refused = ({ kind, code, message }: ErrorParts): Told => ({ error: { kind, code }, said: message })

async function each(calls: readonly Asked[], tell: (call: Asked) => Promise<Told>): Promise<readonly Told[]> {
  const told: Told[] = []
  for (const call of calls) told.push(await tell(call))
  return told
}

export const inProcess: Door = async (_project, environment, calls) => {
  const broker = new SessionBroker({ environments: [environment] })
  try {
    const session = await broker.open({ environmentId: environment.id })
    return await each(calls, async ({ tool, arguments: args }) => {
      const { result, text } = await session.call(tool, args)
      return result.ok ? { error: null, said: text } : refused(result.error)
    })
  } finally {
    await broker.shutdown()
  }
}

async function overMcp(transport: Transport, calls: readonly Asked[]): Promise<readonly Told[]> {
  const client = new Client({ name: 'asker', version: '1.0.0' })
  await client.connect(transport)
  try {
    return await each(calls, async ({ tool, arguments: args }) => {
      const { content, structuredContent } = await client.callTool({ name: tool, arguments: { ...args } })
      const error = (structuredContent as { readonly error: ErrorParts } | undefined)?.error
      return error ? refused(error) : { error: null, said: (content as [{ text: string }])[0].text }
    })
  } finally {
    await client.close()
  }
}

/** Serves the project's bundles with these flags. */
const served = (project: Project, workers: number, work: (url: string, handle: string) => Promise<void>) =>
  whileServing(
    project,
    ['--bundle', 'bundles', '--openenv', 'client', '--workers', String(workers)],
    async ({ url, control }) => {
      const { environments } = (await control('GET', '/environments')) as { environments: [{ id: string }] }
      const opened = await control('POST', '/sessions', { environmentId: environments[0].id })
      await work(url, (opened as { handle: string }).handle)
    },
  )

export const mcpHttp =
  (workers: number): Door =>
  async (project, _environment, calls) => {
    let told: readonly Told[] = []
    await served(project, workers, async (url, handle) => {
      told = await overMcp(new StreamableHTTPClientTransport(new URL(`${url}/mcp/${handle}`)) as Transport, calls)
    })
    return told
  }

export const mcpStdio =
  (workers: number): Door =>
  (project, _environment, calls) => {
    const [command = '', bin = ''] = project.commandLine.split(' ')
    const args = [bin, 'serve', '--stdio', '--bundle', 'bundles', '--workers', String(workers)]
    return overMcp(new StdioClientTransport({ command, args, cwd: project.directory, stderr: 'inherit' }), calls)
  }

interface Observation {
  readonly result?: { readonly content: readonly [{ readonly text: string }] } | null
  readonly tool_result?: string
  readonly error?: string | { readonly message: string } | null
  readonly metadata?: { readonly kind?: string; readonly code?: string }
}

type ReadObservation = (observation: Observation) => Told

const errorOf = ({ metadata: { kind, code } = {} }: Observation) =>
  kind === undefined || code === undefined ? null : { kind, code }

const readGeneric: ReadObservation = (observation) => {
  const { result, error } = observation
  const message = typeof error === 'object' ? error?.message : error
  return { error: errorOf(observation), said: message ?? result?.content[0].text ?? '' }
}

/** A refusal of the application is a result there, whose text is the one that a policy reads. */
const readAwm: ReadObservation = (observation) => {
  const error = errorOf(observation)
  const { tool_result: text = '', error: message } = observation
  if (typeof message === 'string') return { error, said: message }
  return { error, said: error === null ? text : (JSON.parse(text) as { error: ErrorParts }).error.message }
}

const dialects = {
  generic: { path: '/openenv/ws', read: readGeneric, reset: ({ id }: Environment) => ({ environment_id: id }) },
  awm: { path: '/openenv/awm/ws', read: readAwm, reset: ({ id }: Environment) => ({ scenario: id }) },
}

export const openEnv =
  (dialect: keyof typeof dialects, workers: number): Door =>
  async (project, environment, calls) => {
    const { path, read, reset } = dialects[dialect]
    let told: readonly Told[] = []
    await served(project, workers, async (url) => {
      const socket = new WebSocket(url.replace('http', 'ws') + path)
      await once(socket, 'open')
      const ask = async (type: string, frame: object) => {
        socket.send(JSON.stringify({ type, data: frame }))
        const [answer] = (await once(socket, 'message')) as [Buffer]
        return (JSON.parse(answer.toString()) as { data: { observation: Observation } }).data.observation
      }
      await ask('reset', reset(environment))
      told = await each(calls, async ({ tool, arguments: args }) =>
        read(await ask('step', { type: 'call_tool', tool_name: tool, arguments: args })),
      )
      socket.terminate()
    })
    return told
  }
