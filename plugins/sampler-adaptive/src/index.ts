export { type AdaptiveSamplerOptions, adaptiveSampler } from './adaptive-sampler.ts'
