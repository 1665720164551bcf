import { setImmediate } from 'node:timers/promises'
import { contentHash } from '../determinism/content-hash.ts'
import { freezeData } from '../determinism/freeze-data.ts'
import { RandomStream } from '../determinism/random-stream.ts'
import { isRlenvError, messageOf } from '../errors/rlenv-error.ts'
import type { Environment, StageProvenance } from '../vocabulary/environment.ts'
import type { Scenario } from '../vocabulary/scenario.ts'
import { runStage, type StageEnd } from './run-stage.ts'
import type { Stage, StageRecord, SynthesisRequest } from './stage.ts'

/** Why an environment did not come through. */
export interface EnvironmentDrop {
  readonly environmentId: string
  readonly stage: string
  /** snake_case, for counting: a code of the gate or of an error. */
  readonly reason: string
  readonly message: string
  /** What was thrown, when it was an exception. */
  readonly cause: unknown
}

/** One stage of one environment, as the report counts it. */
export interface StagePassage {
  readonly stage: string
  readonly passed: boolean
  readonly cached: boolean
  readonly attempts: number
  readonly costUsd: number
  readonly durationMs: number
  readonly record: StageRecord | null
}

/** What became of one scenario. */
export interface SynthesizedEnvironment {
  /** Null when it was dropped. */
  readonly environment: Environment | null
  readonly drop: EnvironmentDrop | null
  readonly passages: readonly StagePassage[]
}

/** Seed of the environment of a scenario: no other scenario of the run has a say in it. */
function environmentSeed(seed: number, scenarioId: string): number {
  return RandomStream.of(seed, 'environment', scenarioId).uint32()
}

/** Takes one scenario through the stages, in order, until it is an environment or a stage cannot go on. */
export async function synthesizeEnvironment(
  scenario: Scenario,
  origin: StageProvenance,
  stages: readonly Stage[],
  request: SynthesisRequest,
): Promise<SynthesizedEnvironment> {
  let draft = emptyEnvironment(scenario, origin, environmentSeed(request.config.seed, scenario.id))
  let key = contentHash(scenario)
  const passages: StagePassage[] = []
  for (const stage of stages) {
    // Plugins and a store that answer at once would keep Ctrl-C, timers and the progress display waiting to the end.
    await setImmediate()
    const end = await runStage(stage, draft, key, request)
    const { cached, attempts, durationMs, record } = end
    request.events({ type: 'stage:end', stage: stage.name, environmentId: scenario.id, cached, attempts, durationMs })
    const passed = record?.usable === true
    const costUsd = record?.costUsd ?? 0
    passages.push({ stage: stage.name, passed, cached, attempts, costUsd, durationMs, record })
    if (record === null || !passed) return { environment: null, drop: dropOf(scenario.id, stage.name, end), passages }
    draft = freezeData({ ...draft, ...record.part, provenance: [...draft.provenance, provenanceOf(record)] })
    key = end.key
  }
  return { environment: draft, drop: null, passages }
}

function emptyEnvironment(scenario: Scenario, origin: StageProvenance, seed: number): Environment {
  return {
    id: scenario.id,
    scenario,
    seed,
    database: { schema: '', data: '', clock: defaultClock, annotations: {} },
    tools: [],
    tasks: [],
    verifiers: {},
    scripts: {},
    files: {},
    provenance: [origin],
  }
}

/** Where the clock of an environment stands unless its miner sets it. */
const defaultClock = '2026-01-01T09:00:00.000Z'

function provenanceOf({ stage, plugins, attempts, costUsd }: StageRecord): StageProvenance {
  return { stage, plugins, attempts, costUsd }
}

function dropOf(environmentId: string, stage: string, { record, cause }: StageEnd): EnvironmentDrop {
  if (cause !== null) {
    const reason = isRlenvError(cause) ? cause.code.toLowerCase() : 'exception'
    return { environmentId, stage, reason, message: messageOf(cause), cause }
  }
  const reason = record?.reason ?? 'not_accepted'
  return { environmentId, stage, reason, message: record?.errors[0] ?? reason, cause: null }
}
