import { RandomStream, reservedToolNames } from 'rlenv'
import type { ApplicationPlan } from '../plan/application-plan.ts'
import { actTools } from './act-tools.ts'
import { editTools } from './edit-tools.ts'
import { EntityToolKit } from './entity-tool-kit.ts'
import type { PlannedTool } from './planned-tool.ts'
import { readTools } from './read-tools.ts'

const mostTools = 40
const fewestTools = 26
/** How far chance may lift a tool above one of higher rank. */
const luck = 8

/** All tools of an environment with what they are for; 26 to 40 where there are so many, names unique. Pure in the plan. */
export function planTools(plan: ApplicationPlan): readonly PlannedTool[] {
  const random = RandomStream.of(plan.seed, plan.scenarioId, 'tools')
  const all = plan.entities.flatMap((entity) => {
    const kit = new EntityToolKit(plan, entity, random.fork(entity.key))
    return [...readTools(kit), ...actTools(kit), ...editTools(kit)]
  })
  const unique = withoutNameClashes(all)
  const size = fewestTools + random.int(mostTools - fewestTools + 1)
  const kept = new Set(
    unique
      .map((planned) => ({ planned, rank: planned.rank + random.real() * luck }))
      .sort((left, right) => right.rank - left.rank)
      .slice(0, size)
      .map(({ planned }) => planned),
  )
  return unique.filter((planned) => kept.has(planned))
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
