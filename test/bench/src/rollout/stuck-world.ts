import {
  defineConfig,
  type Environment,
  ExecutableWorld,
  loadEnvironment,
  type World,
  type WorldInstance,
  type WorldRequest,
} from 'rlenv'
import { tinyHooks, tinyPlugin } from 'rlenv/testing'
import { rawOpener } from '../engine/raw-sqlite.ts'

/** SQL that never ends, as no vetting would let through. */
const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'

/** Every call of its instances to a tool called "stuck" stays inside SQLite for ever. */
class StuckWorld implements World {
  readonly name = 'stuck'
  readonly #inner = new ExecutableWorld()

  async open(request: WorldRequest): Promise<WorldInstance> {
    const instance = await this.#inner.open(request)
    const driver = rawOpener(loadEnvironment(request.environment))
    const stuck = { name: 'stuck', description: 'Never ends.', inputSchema: { type: 'object' }, readOnly: true }
    return {
      tools: [...instance.tools, stuck],
      call: (name, args, callSignal) => {
        if (name === stuck.name) driver(':memory:').prepare(endless).get()
        return instance.call(name, args, callSignal)
      },
      capture: () => instance.capture(),
      close: () => instance.close(),
    }
  }

  prepare(environment: Environment): void | Promise<void> {
    return this.#inner.prepare(environment)
  }

  close(): void {
    this.#inner.close()
  }
}

/** Loaded in every process of the measurement, as a user's configuration file would be. */
export default defineConfig({
  plugins: [
    tinyPlugin({ hooks: { ...tinyHooks, rewardShaper: (reward) => reward } }),
    tinyPlugin({ name: 'stuck', hooks: { world: () => new StuckWorld() } }),
  ],
})
