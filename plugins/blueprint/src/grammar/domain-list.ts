import type { DomainBlueprint } from './domain.ts'
import { bank } from './domains/bank.ts'
import { charity } from './domains/charity.ts'
import { clinic } from './domains/clinic.ts'
import { crm } from './domains/crm.ts'
import { events } from './domains/events.ts'
import { farm } from './domains/farm.ts'
import { fitness } from './domains/fitness.ts'
import { gaming } from './domains/gaming.ts'
import { helpdesk } from './domains/helpdesk.ts'
import { insurance } from './domains/insurance.ts'
import { library } from './domains/library.ts'
import { logistics } from './domains/logistics.ts'
import { projects } from './domains/projects.ts'
import { property } from './domains/property.ts'
import { rental } from './domains/rental.ts'
import { restaurant } from './domains/restaurant.ts'
import { school } from './domains/school.ts'
import { shop } from './domains/shop.ts'
import { smartHome } from './domains/smart-home.ts'
import { staffing } from './domains/staffing.ts'
import { travel } from './domains/travel.ts'
import { warehouse } from './domains/warehouse.ts'

/** Every family of applications that the blueprint plugin knows. */
export const domainList: readonly DomainBlueprint[] = [
  bank,
  charity,
  clinic,
  crm,
  events,
  farm,
  fitness,
  gaming,
  helpdesk,
  insurance,
  library,
  logistics,
  projects,
  property,
  rental,
  restaurant,
  school,
  shop,
  smartHome,
  staffing,
  travel,
  warehouse,
]

/** @throws {Error} when no domain has this key. */
export function domainOf(key: string): DomainBlueprint {
  const found = domainList.find((domain) => domain.key === key)
  if (found === undefined)
    throw new Error(`no domain "${key}"; there are ${domainList.map((one) => one.key).join(', ')}`)
  return found
}
