export { cispo, type DrGrpoOptions, dapo, drGrpo, grpo, gspo, rloo } from './grpo.ts'
export type { GrpoOptions, ImportanceSamplingOptions } from './grpo-options.ts'
