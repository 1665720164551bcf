import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { HttpProblem } from './http-problem.ts'
import type { Access } from './http-route.ts'

export interface GuardOptions {
  /** Names, without port, that the server may be addressed by; null = any, for servers behind a name of their own. */
  readonly hosts: readonly string[] | null
  /** Asked of clients; null = they need none. */
  readonly token: string | null
  /** Asked of whoever controls sessions; null = nobody can. */
  readonly controlToken: string | null
}

/** The names of this machine to itself. */
export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Decides who may come through. A page in a browser that reaches this machine under a foreign name (DNS rebinding) or
 * from a foreign page is refused by Host and Origin, as MCP's transport demands.
 */
export class HttpGuard {
  readonly #options: GuardOptions

  constructor(options: GuardOptions) {
    this.#options = options
  }

  /** @throws {HttpProblem} 401 or 403. */
  admit(request: IncomingMessage, access: Access): void {
    this.#checkNames(request)
    if (access === 'public') return
    const { token, controlToken } = this.#options
    const expected = access === 'control' ? controlToken : token
    if (access === 'control' && expected === null)
      throw new HttpProblem('this server has no control plane', { status: 403 })
    if (expected === null || carries(request, expected)) return
    throw new HttpProblem('the bearer token is missing or wrong', {
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
    })
  }

  #checkNames({ headers }: IncomingMessage): void {
    const { hosts } = this.#options
    const host = hostname(`http://${headers.host ?? ''}`)
    if (host === null || (hosts !== null && !hosts.includes(host))) {
      throw new HttpProblem(`not served under the host "${headers.host ?? ''}"`, { status: 403 })
    }
    if (headers.origin === undefined) return
    const origin = hostname(headers.origin)
    if (origin === null || !(origin === host || hosts?.includes(origin))) {
      throw new HttpProblem(`not served to pages of "${headers.origin}"`, { status: 403 })
    }
  }
}

/** Clients send one name again and again, and parsing it costs more than the rest of the check. */
const hostnames = new Map<string, string | null>()

function hostname(url: string): string | null {
  const known = hostnames.get(url)
  if (known !== undefined) return known
  const name = URL.canParse(url) ? new URL(url).hostname : null
  if (hostnames.size >= 256) hostnames.clear()
  hostnames.set(url, name)
  return name
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Compares in constant time, whatever the lengths. */
function carries({ headers }: IncomingMessage, token: string): boolean {
  return timingSafeEqual(digest(tokenIn(headers.authorization ?? '')), digest(token))
}

/** A bearer token, or a password: some clients can carry a secret only in their address, `http://any:<token>@host`. */
function tokenIn(authorization: string): string {
  const [, scheme = '', given = ''] = /^(Bearer|Basic) +(\S+)$/i.exec(authorization) ?? []
  if (scheme.toLowerCase() !== 'basic') return given
  const pair = Buffer.from(given, 'base64').toString()
  return pair.slice(pair.indexOf(':') + 1)
}
