import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { ResolvedConfig } from '../config/rlenv-config.ts'
import type { Clock } from '../determinism/clock.ts'
import type { ScenarioContext } from '../hooks/contexts.ts'
import type { HookName } from '../hooks/pipeline-hooks.ts'
import type { Pipeline } from '../plugin/pipeline.ts'
import type { EventSink } from '../telemetry/run-event.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { GateReport } from './gate/gate-report.ts'

/** What a run of synthesis works with. */
export interface SynthesisRequest {
  readonly pipeline: Pipeline
  readonly config: ResolvedConfig
  readonly store: ArtifactStore
  readonly events: EventSink
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Takes lines for the run's log. Default: they are dropped. */
  readonly log?: (message: string) => void
}

/** What one stage adds to an environment or takes from it. */
export type EnvironmentPart = Partial<Pick<Environment, 'database' | 'tools' | 'scripts' | 'tasks' | 'verifiers'>>

/** A tool or a task that did not survive a stage. */
export interface DroppedItem {
  /** A tool's name or a task's id. */
  readonly item: string
  /** snake_case, for counting. */
  readonly reason: string
  readonly message: string
}

/** What one try of a stage came to. Everything in it is data, so that the best one can be kept on disk. */
export interface StageResult {
  /** What later stages go on with; what does not work is left out of it already. */
  readonly part: EnvironmentPart
  /** What does not work, for the next try and for the report. */
  readonly errors: readonly string[]
  /** Share, 0 to 1, of what was made that does not work. */
  readonly errorShare: number
  /** False when no later stage can go on from it; `reason` says why in a word. */
  readonly usable: boolean
  readonly reason: string | null
  readonly dropped: readonly DroppedItem[]
  readonly gate?: GateReport
}

/** What a stage sees of one try. */
export interface StageTry {
  readonly pipeline: Pipeline
  readonly settings: ResolvedConfig['synthesis']
  readonly clock: Clock
  /** For hooks; every try has a random stream of its own. */
  readonly context: ScenarioContext
}

/** One step from a scenario to an environment. */
export interface Stage {
  readonly name: string
  /** Whose plugins make its result. */
  readonly hook: HookName
  /** The error share, 0 to 1, at which a try is accepted; otherwise it is repeated with what went wrong. */
  readonly acceptedErrorShare: number
  /** False for a stage whose result no other try could change. */
  readonly repeats: boolean
  /** The settings that its result depends on. */
  settings(settings: ResolvedConfig['synthesis']): unknown
  /** Generates, executes what was generated, and says what does not work. */
  run(draft: Environment, attempt: StageTry): Promise<StageResult>
}

/** What a stage left behind for one environment: the best of its tries. */
export interface StageRecord extends StageResult {
  readonly stage: string
  /** `name@version` of its plugins, in call order. */
  readonly plugins: readonly string[]
  readonly attempts: number
  /** US dollars over all tries. */
  readonly costUsd: number
}
