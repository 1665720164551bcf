import { careAndCultureSeeds } from './care-and-culture.ts'
import { homesAndTravelSeeds } from './homes-and-travel.ts'
import { learningAndLeisureSeeds } from './learning-and-leisure.ts'
import { moneyAndTradeSeeds } from './money-and-trade.ts'
import type { Seed } from './seed.ts'
import { workAndIndustrySeeds } from './work-and-industry.ts'

/** Every shipped seed, domain after domain in turn, so that any first few cover many domains. */
export const seedList: readonly Seed[] = interleaved([
  ...careAndCultureSeeds,
  ...moneyAndTradeSeeds,
  ...workAndIndustrySeeds,
  ...homesAndTravelSeeds,
  ...learningAndLeisureSeeds,
])

function interleaved(seeds: readonly Seed[]): readonly Seed[] {
  const byDomain = new Map<string, Seed[]>()
  for (const one of seeds) byDomain.set(one.domain, [...(byDomain.get(one.domain) ?? []), one])
  const rounds = Math.max(...[...byDomain.values()].map((list) => list.length))
  return Array.from({ length: rounds }, (_, round) =>
    [...byDomain.values()].flatMap((list) => list.slice(round, round + 1)),
  ).flat()
}
