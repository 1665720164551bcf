import { join } from 'node:path'
import { expect } from 'vitest'
import { ArtifactStore } from '../../src/artifacts/artifact-store.ts'
import { configDefaults } from '../../src/config/config-defaults.ts'
import type { ResolvedConfig } from '../../src/config/rlenv-config.ts'
import type { PluginHooks } from '../../src/hooks/pipeline-hooks.ts'
import type { SynthesisRequest } from '../../src/synthesis/stage.ts'
import { synthesize } from '../../src/synthesis/synthesize.ts'
import type { RunEvent } from '../../src/telemetry/run-event.ts'
import { pipelineOf } from '../../src/testing/contracts/pipeline-of.ts'
import { tinyHooks, tinyPlugin } from '../../src/testing/tiny-plugin.ts'
import { temporaryFolder } from '../artifacts/temporary-folder.ts'

export interface RequestParts {
  readonly settings?: Partial<ResolvedConfig['synthesis']>
  readonly seed?: number
  /** In place of the tiny library's own. */
  readonly hooks?: PluginHooks
  readonly version?: string
  /** Default: a new folder. */
  readonly directory?: string
  readonly signal?: AbortSignal
}

/** A request that hears its own events. */
export interface TestRequest extends SynthesisRequest {
  readonly heard: RunEvent[]
}

/** Synthesis of three tiny libraries, or of what `parts` make of it; its clock ticks a millisecond per look. */
export async function synthesisRequest(parts: RequestParts = {}): Promise<TestRequest> {
  const plugin = { ...tinyPlugin({ hooks: { ...tinyHooks, ...parts.hooks } }), version: parts.version ?? '1.0.0' }
  const heard: RunEvent[] = []
  let now = 0
  return {
    pipeline: await pipelineOf(plugin),
    config: {
      ...configDefaults,
      seed: parts.seed ?? 0,
      synthesis: {
        ...configDefaults.synthesis,
        environments: 3,
        tasksPerEnvironment: 4,
        minTasksPerEnvironment: 3,
        ...parts.settings,
      },
      baseDirectory: '/',
      file: null,
    },
    store: new ArtifactStore(parts.directory ?? join(temporaryFolder(), 'artifacts')),
    events: (event) => heard.push(event),
    clock: { now: () => ++now, sleep: () => new Promise(() => undefined) },
    signal: parts.signal ?? new AbortController().signal,
    heard,
  }
}

/** `stage environment cached` of every stage that ended, in order. */
export function stagesHeard(request: TestRequest): string[] {
  return request.heard.flatMap((event) => {
    if (event.type !== 'stage:end') return []
    return [`${event.stage} ${event.environmentId ?? '-'} ${event.cached ? 'cached' : 'made'}`]
  })
}

/** What a synthesis that must not succeed threw. */
export async function failureOf(request: SynthesisRequest): Promise<unknown> {
  return synthesize(request).then(
    () => expect.unreachable('synthesis should have failed'),
    (thrown: unknown) => thrown,
  )
}
