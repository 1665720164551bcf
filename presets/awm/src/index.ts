export { type AwmOptions, awm } from './awm.ts'
