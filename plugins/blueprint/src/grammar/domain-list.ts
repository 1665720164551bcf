import type { DomainBlueprint } from './domain.ts'
import { bank } from './domains/bank.ts'
import { clinic } from './domains/clinic.ts'
import { library } from './domains/library.ts'
import { shop } from './domains/shop.ts'

/** Every family of applications that the blueprint plugin knows. */
export const domainList: readonly DomainBlueprint[] = [bank, clinic, library, shop]

/** @throws {Error} when no domain has this key. */
export function domainOf(key: string): DomainBlueprint {
  const found = domainList.find((domain) => domain.key === key)
  if (found === undefined)
    throw new Error(`no domain "${key}"; there are ${domainList.map((one) => one.key).join(', ')}`)
  return found
}
