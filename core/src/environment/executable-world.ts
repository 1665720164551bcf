import type { World, WorldInstance, WorldRequest } from '../hooks/world.ts'
import type { Environment } from '../vocabulary/environment.ts'
import { keptConnections } from './instance/kept-connection.ts'
import { loadEnvironment } from './load-environment.ts'
import { loadSandbox } from './sandbox/quickjs-module.ts'

/** The default world: instances run in this process, on in-memory copies of each environment's database. */
export class ExecutableWorld implements World {
  readonly name = 'executable'

  open({ environment, seed }: WorldRequest): WorldInstance | Promise<WorldInstance> {
    const executable = loadEnvironment(environment)
    if (!executable.needsSandbox) return executable.open({ seed })
    return loadSandbox().then(() => executable.open({ seed }))
  }

  prepare(environment: Environment): void | Promise<void> {
    if (loadEnvironment(environment).needsSandbox) return loadSandbox()
  }

  /** Frees the connections that instances share; instances of another world open what they need again. */
  close(): void {
    keptConnections.close()
  }
}
