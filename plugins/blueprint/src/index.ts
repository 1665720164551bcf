export { type BlueprintOptions, blueprint } from './blueprint.ts'
export type { Seed } from './seeds/seed.ts'
export { seedList } from './seeds/seed-list.ts'
