export { type UniformSamplerOptions, uniformSampler } from './uniform-sampler.ts'
