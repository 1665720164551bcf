export { type DrGrpoOptions, drGrpo, grpo } from './grpo.ts'
export type { GrpoOptions } from './grpo-options.ts'
