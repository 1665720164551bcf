import { contentHash } from '../../determinism/content-hash.ts'
import { RlenvError } from '../../errors/rlenv-error.ts'

/** Names that every chat API takes. */
const safeName = /^[A-Za-z0-9_-]{1,64}$/
const hashLength = 8

/** A safe name stays as it is; any other is cleaned and marked with a hash of the whole original. */
function policyName(name: string): string {
  if (safeName.test(name)) return name
  const cleaned = name.normalize('NFKD').replaceAll(/[^A-Za-z0-9_-]+/g, '_')
  return `${cleaned.slice(0, 63 - hashLength)}_${contentHash(name).slice(0, hashLength)}`
}

/** The names that a policy sees for tools whose own names a chat API may refuse, and the way back. */
export class PolicyNames {
  readonly #toServer = new Map<string, string>()
  readonly #toPolicy = new Map<string, string>()

  /**
   * Each name depends on its own original alone, so that the order of the tools changes nothing.
   *
   * @throws {RlenvError} RLENV_TOOL_INVALID when two tools would be seen under one name, naming both.
   */
  constructor(serverNames: Iterable<string>) {
    for (const server of serverNames) {
      const policy = policyName(server)
      const taken = this.#toServer.get(policy)
      if (taken !== undefined) {
        throw new RlenvError(`the tools ${taken} and ${server} would both be called ${policy}`, {
          code: 'RLENV_TOOL_INVALID',
          fix: 'Rename one of them.',
        })
      }
      this.#toServer.set(policy, server)
      this.#toPolicy.set(server, policy)
    }
  }

  policyName(server: string): string | undefined {
    return this.#toPolicy.get(server)
  }

  serverName(policy: string): string | undefined {
    return this.#toServer.get(policy)
  }
}
