import { type Json, RlenvError, type Scenario } from 'rlenv'
import { domainOf } from './grammar/domain-list.ts'
import type { Seed } from './seeds/seed.ts'
import { seedList } from './seeds/seed-list.ts'

export const pluginName = '@rlenv/blueprint'

/** What the plugin notes in a scenario for its later stages. */
export interface ScenarioNote {
  readonly seed: string
  readonly domain: string
}

/**
 * Scenarios up to the wanted number; after the last seed it starts over with variants (`online-shop-2`).
 *
 * @param ids - ids of the seeds to use; all of them when undefined.
 * @throws {RlenvError} RLENV_PLUGIN_OPTIONS when an id names no shipped seed.
 */
export function scenariosUpTo(
  count: number,
  before: readonly Scenario[],
  ids?: readonly string[],
): readonly Scenario[] {
  const seeds = chosenSeeds(ids)
  const taken = new Set(before.map((scenario) => scenario.id))
  const added: Scenario[] = []
  for (let at = 0; before.length + added.length < count; at++) {
    const scenario = scenarioOf(seeds[at % seeds.length] as Seed, Math.floor(at / seeds.length) + 1)
    if (!taken.has(scenario.id)) added.push(scenario)
  }
  return [...before, ...added]
}

function chosenSeeds(ids: readonly string[] | undefined): readonly Seed[] {
  if (ids === undefined) return seedList
  return ids.map((id) => {
    const found = seedList.find((seed) => seed.id === id)
    if (found !== undefined) return found
    throw new RlenvError(`there is no seed "${id}" among the ${seedList.length} that ${pluginName} ships`, {
      code: 'RLENV_PLUGIN_OPTIONS',
      plugin: pluginName,
      hook: 'scenarioSource',
      fix: `Use ids of shipped seeds, for example ${seedList
        .slice(0, 3)
        .map((seed) => `"${seed.id}"`)
        .join(', ')}.`,
    })
  })
}

function scenarioOf(seed: Seed, variant: number): Scenario {
  const note: ScenarioNote = { seed: seed.id, domain: seed.domain }
  return {
    id: variant === 1 ? seed.id : `${seed.id}-${variant}`,
    name: variant === 1 ? seed.name : `${seed.name} ${variant}`,
    description: seed.description,
    taxonomy: [...domainOf(seed.domain).taxonomy, seed.id],
    annotations: { [pluginName]: { ...note } },
  }
}

/** What the plugin noted in a scenario; null when the scenario comes from elsewhere. */
export function scenarioNote(scenario: Scenario): ScenarioNote | null {
  const note = scenario.annotations[pluginName]
  return isNote(note) ? note : null
}

function isNote(note: Json | undefined): note is Json & ScenarioNote {
  return note !== undefined && note !== null && typeof note === 'object' && 'seed' in note && 'domain' in note
}

/** Nouns that a seed puts in place of its domain's. */
export function seedNouns(id: string): Readonly<Record<string, readonly string[]>> {
  const nouns = seedList.find((seed) => seed.id === id)?.nouns ?? {}
  return Object.fromEntries(Object.entries(nouns).map(([key, words]) => [key, words.split('|')]))
}
