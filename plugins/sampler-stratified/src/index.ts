export { type StratifiedSamplerOptions, stratifiedSampler } from './stratified-sampler.ts'
