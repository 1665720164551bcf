import { RandomStream, reservedToolNames } from 'rlenv'
import type { ApplicationPlan } from '../plan/application-plan.ts'
import { actTools } from './act-tools.ts'
import { editTools } from './edit-tools.ts'
import { EntityToolKit } from './entity-tool-kit.ts'
import type { PlannedTool } from './planned-tool.ts'
import { readTools } from './read-tools.ts'

const mostTools = 40
const fewestTools = 26

/** All tools of an environment with what they are for; 26 to 40 where there are so many, names unique. Pure in the plan. */
export function planTools(plan: ApplicationPlan): readonly PlannedTool[] {
  const random = RandomStream.of(plan.seed, plan.scenarioId, 'tools')
  const all = plan.entities.flatMap((entity) => {
    const kit = new EntityToolKit(plan, entity, random.fork(entity.key))
    return [...readTools(kit), ...actTools(kit), ...editTools(kit)]
  })
  const unique = withoutNameClashes(all)
  const ranked = random
    .shuffle(unique.map((_, index) => index))
    .sort((left, right) => rankOf(unique, right) - rankOf(unique, left))
  const size = fewestTools + random.int(mostTools - fewestTools + 1)
  const kept = new Set(ranked.slice(0, size))
  return unique.filter((_, index) => kept.has(index))
}

function rankOf(tools: readonly PlannedTool[], index: number): number {
  return tools[index]?.rank ?? 0
}

/** Of tools with one name the most useful one stays. */
function withoutNameClashes(tools: readonly PlannedTool[]): readonly PlannedTool[] {
  const best = new Map<string, PlannedTool>()
  for (const planned of tools) {
    const { name } = planned.tool
    if (reservedToolNames.has(name) || name.length > 64) continue
    const other = best.get(name)
    if (other === undefined || other.rank < planned.rank) best.set(name, planned)
  }
  return [...best.values()]
}
