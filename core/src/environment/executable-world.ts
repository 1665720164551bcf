import type { World, WorldInstance, WorldRequest } from '../hooks/world.ts'
import { loadEnvironment } from './load-environment.ts'
import { loadSandbox } from './sandbox/quickjs-module.ts'

/** The default world: instances run in this process, on an in-memory copy of each environment's database. */
export class ExecutableWorld implements World {
  readonly name = 'executable'

  open({ environment, seed }: WorldRequest): WorldInstance | Promise<WorldInstance> {
    const executable = loadEnvironment(environment)
    if (!executable.needsSandbox) return executable.open({ seed })
    return loadSandbox().then(() => executable.open({ seed }))
  }

  close(): void {}
}
