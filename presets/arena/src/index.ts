export { type ArenaOptions, arena } from './arena.ts'
