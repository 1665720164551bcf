import type { RandomStream } from 'rlenv'
import type { EntityRow, RowsByEntity } from '../database/rows.ts'
import { type ApplicationPlan, type EntityPlan, entityOf } from '../plan/application-plan.ts'
import type { PlannedTool, ToolRole } from '../tools/planned-tool.ts'

type RoleOf<Kind extends ToolRole['kind']> = Extract<ToolRole, { readonly kind: Kind }>

/** A tool together with its role. */
export interface ToolOf<Kind extends ToolRole['kind']> extends PlannedTool {
  readonly role: RoleOf<Kind>
}

/** What tasks are made from: the plan, its rows and the tools that are left. */
export class Workbench {
  readonly plan: ApplicationPlan
  readonly rows: RowsByEntity
  readonly tools: readonly PlannedTool[]
  readonly #children = new Map<string, readonly EntityRow[]>()

  constructor(plan: ApplicationPlan, rows: RowsByEntity, tools: readonly PlannedTool[]) {
    this.plan = plan
    this.rows = rows
    this.tools = tools
  }

  entity(key: string): EntityPlan {
    return entityOf(this.plan, key)
  }

  rowsOf(key: string): readonly EntityRow[] {
    return this.rows[key] ?? []
  }

  /** All tools of a role. */
  withRole<Kind extends ToolRole['kind']>(kind: Kind): readonly ToolOf<Kind>[] {
    return this.tools.filter((planned): planned is ToolOf<Kind> => planned.role.kind === kind)
  }

  tool<Kind extends ToolRole['kind']>(entity: string, kind: Kind): ToolOf<Kind> | undefined {
    return this.withRole(kind).find((planned) => planned.entity === entity)
  }

  childrenTool(entity: string, parent: string): ToolOf<'children'> | undefined {
    return this.withRole('children').find((planned) => planned.entity === entity && planned.role.parent === parent)
  }

  /** Rows of `entity` that point at this row of `parent`. */
  childrenOf(entity: string, parent: string, row: EntityRow): readonly EntityRow[] {
    const key = `${entity}/${parent}/${row.id}`
    let children = this.#children.get(key)
    if (children === undefined) {
      children = this.rowsOf(entity).filter((child) => child.refs[parent] === row)
      this.#children.set(key, children)
    }
    return children
  }
}

/** One of the items, or null when there is none. */
export function pickOrNull<T>(random: RandomStream, items: readonly T[]): T | null {
  return items.length === 0 ? null : random.pick(items)
}
