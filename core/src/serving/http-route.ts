import type { IncomingMessage, ServerResponse } from 'node:http'
import type { WebSocket } from 'ws'

/**
 * Who may come through. `public`: anybody. `client`: whoever has the server's token, where it has one. `control`: whoever
 * has the control token, which no agent is given.
 */
export type Access = 'public' | 'client' | 'control'

/** What of an address its pattern left open. */
export interface RouteParams {
  /** By the name in the pattern, percent-decoded. */
  readonly path: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

/** Answers one method at the addresses of one pattern. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PUT'
  /** `/mcp/:handle`: a segment that starts with a colon takes any one segment. */
  readonly path: string
  /** Default: `client`. */
  readonly access?: Access
  /** Answers the request. An {@link HttpProblem} that it throws becomes the answer. */
  handle(request: IncomingMessage, response: ServerResponse, params: RouteParams): void | Promise<void>
}

/** Takes the WebSockets at the addresses of one pattern. */
export interface Upgrade {
  readonly path: string
  readonly access?: Access
  /** Must not throw; it owns the socket from now on. */
  accept(socket: WebSocket, request: IncomingMessage, params: RouteParams): void
}

interface Compiled<Entry> {
  readonly segments: readonly string[]
  readonly entry: Entry
}

/** A route with what its pattern left open. */
export interface Match<Entry> {
  readonly entry: Entry
  readonly params: RouteParams
}

const noParams: Readonly<Record<string, string>> = {}

/** Finds routes by address. The first pattern that fits wins. */
export class RouteTable<Entry extends { readonly path: string }> {
  readonly #entries: readonly Compiled<Entry>[]

  constructor(entries: readonly Entry[]) {
    this.#entries = entries.map((entry) => ({ segments: entry.path.split('/'), entry }))
  }

  /** @param url - path and query, as HTTP sends it. */
  find(url: string): readonly Match<Entry>[] {
    const end = url.indexOf('?')
    const segments = (end < 0 ? url : url.slice(0, end)).split('/')
    const found: Match<Entry>[] = []
    for (const { segments: pattern, entry } of this.#entries) {
      const path = fit(pattern, segments)
      if (path !== null)
        found.push({ entry, params: { path, query: new URLSearchParams(end < 0 ? '' : url.slice(end)) } })
    }
    return found
  }
}

function fit(pattern: readonly string[], segments: readonly string[]): Readonly<Record<string, string>> | null {
  if (pattern.length !== segments.length) return null
  let open: Record<string, string> | null = null
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] as string
    if (!expected.startsWith(':')) {
      if (expected !== segment) return null
      continue
    }
    const value = decoded(segment)
    if (value === null || value === '') return null
    open ??= {}
    open[expected.slice(1)] = value
  }
  return open ?? noParams
}

function decoded(segment: string): string | null {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}
