import { RandomStream, type Scenario } from 'rlenv'
import { generateRows, type RowsByEntity } from './database/rows.ts'
import { domainOf } from './grammar/domain-list.ts'
import type { ApplicationPlan } from './plan/application-plan.ts'
import { planApplication } from './plan/plan-application.ts'
import { type ScenarioNote, seedNouns } from './scenarios.ts'
import { planTools } from './tools/plan-tools.ts'
import type { PlannedTool } from './tools/planned-tool.ts'

/** One application as it is planned, before any of it is written down. */
export interface Application {
  readonly plan: ApplicationPlan
  readonly rows: RowsByEntity
  readonly tools: readonly PlannedTool[]
}

/** Pure in scenario, note and seed, so that every stage can make it again, in whatever process it runs. */
function makeApplication(scenario: Scenario, note: ScenarioNote, seed: number): Application {
  const plan = planApplication({
    scenarioId: scenario.id,
    seed,
    domain: domainOf(note.domain),
    nouns: seedNouns(note.seed),
  })
  const rows = generateRows(plan, RandomStream.of(seed, scenario.id, 'rows'))
  return { plan, rows, tools: planTools(plan) }
}

const mostRemembered = 16

/** Remembers the last few applications: the stages of one environment follow each other closely. */
export class ApplicationCache {
  readonly #entries = new Map<string, Application>()

  get(scenario: Scenario, note: ScenarioNote, seed: number): Application {
    const key = JSON.stringify([scenario.id, note.seed, note.domain, seed])
    const application = this.#entries.get(key) ?? makeApplication(scenario, note, seed)
    this.#entries.delete(key)
    this.#entries.set(key, application)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > mostRemembered && oldest !== undefined) this.#entries.delete(oldest)
    return application
  }
}
