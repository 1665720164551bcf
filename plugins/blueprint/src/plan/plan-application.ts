import { RandomStream } from 'rlenv'
import type { DomainBlueprint, EntityBlueprint } from '../grammar/domain.ts'
import { type GenericVerb, verbDictionary } from '../grammar/verbs.ts'
import type { ApplicationPlan, Style } from './application-plan.ts'
import { identifier } from './naming.ts'
import { planEntity } from './plan-entity.ts'

export interface PlanRequest {
  readonly scenarioId: string
  /** Seed of the environment. */
  readonly seed: number
  readonly domain: DomainBlueprint
  /** Nouns of the scenario that replace the domain's, by entity key. */
  readonly nouns: Readonly<Record<string, readonly string[]>>
}

const fewestTables = 6
const mostTables = 10
const dayMs = 86_400_000
const firstClockMs = Date.UTC(2025, 0, 1)

/** Chooses entities, words, identifiers and tool shapes of one environment. Pure in its request. */
export function planApplication(request: PlanRequest): ApplicationPlan {
  const random = RandomStream.of(request.seed, request.scenarioId, 'plan')
  const style = planStyle(random)
  // which entities an application has belongs to its kind, not to the run's seed
  const kept = keepEntities(request.domain, RandomStream.of(request.scenarioId, 'entities'))
  const targets = new Set(kept.flatMap((entity) => entity.refs))
  const used = { nouns: new Map<string, string>(), prefixes: new Set<string>() }
  const bases = random.shuffle(kept.map((_, index) => (index + 1) * 10_000))
  const entities: ApplicationPlan['entities'][number][] = []
  for (const [index, blueprint] of parentsFirst(kept).entries()) {
    const nouns = request.nouns[blueprint.key] ?? blueprint.nouns
    const noun = random.pick(nouns)
    used.nouns.set(blueprint.key, identifier('snake', noun))
    entities.push(
      planEntity({
        blueprint,
        nouns,
        noun,
        style,
        random: random.fork(blueprint.key),
        nounOf: (key) => used.nouns.get(key) ?? key,
        prefix: uniquePrefix(noun, used.prefixes),
        idBase: (bases[index] ?? 10_000) + random.int(4000),
        referenced: targets.has(blueprint.key),
      }),
    )
  }
  const clock = new Date(firstClockMs + random.int(900) * dayMs + (8 * 60 + random.int(540)) * 60_000).toISOString()
  return { scenarioId: request.scenarioId, seed: request.seed, domain: request.domain.key, style, entities, clock }
}

function planStyle(random: RandomStream): Style {
  const generic = Object.fromEntries(
    Object.entries(verbDictionary.generic).map(([verb, forms]) => [verb, random.pick(forms).words]),
  ) as Record<GenericVerb, string>
  const keyColumn = random.chance(0.5) ? 'bare' : 'noun'
  return {
    letters: random.chance(0.2) ? 'camel' : 'snake',
    ids: random.chance(0.5) ? 'integer' : 'text',
    keyColumn,
    // a tool that takes `id` where rows show `order_id` would leave its caller to guess
    idParameter: keyColumn === 'noun' || random.chance(0.5) ? 'noun' : 'bare',
    nameOrder: random.chance(0.2) ? 'noun-verb' : 'verb-noun',
    statusWord: random.pick(['status', 'state', 'stage']),
    generic,
    childJoin: random.pick(['by', 'for', 'of']),
    amountWord: random.pick(['amount', 'value', 'number']),
  }
}

/** Drops some of the optional entities, never one that a kept entity refers to. */
function keepEntities(domain: DomainBlueprint, random: RandomStream): readonly EntityBlueprint[] {
  const dropped = new Set<string>()
  const last = [...domain.entities].reverse()
  for (const entity of last) {
    const needed = domain.entities.some((other) => !dropped.has(other.key) && other.refs.includes(entity.key))
    const remaining = domain.entities.length - dropped.size
    const drop = random.chance(0.4) || remaining > mostTables
    if (entity.optional && !needed && remaining > fewestTables && drop) dropped.add(entity.key)
  }
  return domain.entities.filter((entity) => !dropped.has(entity.key))
}

function parentsFirst(entities: readonly EntityBlueprint[]): readonly EntityBlueprint[] {
  const ordered: EntityBlueprint[] = []
  const visit = (entity: EntityBlueprint): void => {
    if (ordered.includes(entity)) return
    for (const key of entity.refs) {
      const target = entities.find((other) => other.key === key)
      if (target !== undefined && target !== entity) visit(target)
    }
    ordered.push(entity)
  }
  for (const entity of entities) visit(entity)
  return ordered
}

function uniquePrefix(noun: string, used: Set<string>): string {
  const letters = noun.toUpperCase().replaceAll(/[^A-Z]/g, '')
  const candidates = [letters.slice(0, 3), letters.slice(0, 2) + letters.slice(3, 4), letters.slice(1, 4)]
  for (let code = 65; code < 91; code++) candidates.push(letters.slice(0, 2) + String.fromCharCode(code))
  const prefix = candidates.find((candidate) => candidate.length === 3 && !used.has(candidate)) ?? letters
  used.add(prefix)
  return prefix
}
