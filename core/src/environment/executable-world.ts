import type { World, WorldInstance, WorldRequest } from '../hooks/world.ts'
import { loadEnvironment } from './load-environment.ts'

/** The default world: instances run in this process, on an in-memory copy of each environment's database. */
export class ExecutableWorld implements World {
  readonly name = 'executable'

  open({ environment, seed }: WorldRequest): WorldInstance {
    return loadEnvironment(environment).open({ seed })
  }

  close(): void {}
}
