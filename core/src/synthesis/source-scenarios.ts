import { artifactKey } from '../artifacts/artifact-key.ts'
import { RandomStream } from '../determinism/random-stream.ts'
import type { Scenario } from '../vocabulary/scenario.ts'
import type { SynthesisRequest } from './stage.ts'

/** The scenarios of a run and what finding them cost. */
export interface SourcedScenarios {
  readonly scenarios: readonly Scenario[]
  /** `name@version` of the plugins, in call order. */
  readonly plugins: readonly string[]
  readonly costUsd: number
}

/**
 * Asks the scenario sources, or serves what they said before. There may be more scenarios than the run wants
 * environments: the surplus takes the places of those that do not come through the gate.
 */
export async function sourceScenarios(request: SynthesisRequest): Promise<SourcedScenarios> {
  const { pipeline, config, store, events, clock, signal, log = () => undefined } = request
  const { environments } = config.synthesis
  const producers = pipeline.producers('scenarioSource')
  const key = artifactKey({ stage: 'scenarios', plugins: producers, options: { environments }, seed: config.seed }, [])
  const started = clock.now()
  const stored = (await store.get(key)) as SourcedScenarios | undefined
  const sourced = stored ?? (await ask())
  if (stored === undefined) await store.put(key, sourced)
  const durationMs = stored === undefined ? clock.now() - started : 0
  events({
    type: 'stage:end',
    stage: 'scenarios',
    environmentId: null,
    cached: stored !== undefined,
    attempts: 1,
    durationMs,
  })
  return sourced

  async function ask(): Promise<SourcedScenarios> {
    let costUsd = 0
    const spend = (usd: number) => {
      costUsd += usd
    }
    const random = RandomStream.of(config.seed, 'scenarios')
    const scenarios = await pipeline.chain('scenarioSource', [], { random, signal, log, spend, environments })
    return { scenarios, plugins: producers.map(({ name, version }) => `${name}@${version}`), costUsd }
  }
}
