export { type HybridShaperOptions, hybridShaper } from './hybrid-shaper.ts'
