export { type TernaryShaperOptions, ternaryShaper } from './ternary-shaper.ts'
