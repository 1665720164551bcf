import { ExecutableWorld } from '../../../src/environment/executable-world.ts'
import type { World } from '../../../src/hooks/world.ts'

/** The executable world, whose calls are carried out a while after they were asked for. */
export function slowWorld(ms: number): World {
  const world = new ExecutableWorld()
  return {
    name: 'slow',
    close: () => world.close(),
    open: async (request) => {
      const instance = await world.open(request)
      return {
        tools: instance.tools,
        capture: () => instance.capture(),
        close: () => instance.close(),
        call: async (name, args, signal) => {
          const outcome = await instance.call(name, args, signal)
          await new Promise((resolve) => setTimeout(resolve, ms))
          return outcome
        },
      }
    },
  }
}
