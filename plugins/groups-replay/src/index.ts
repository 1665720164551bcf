export { type ReplayGroupsOptions, replayGroups } from './replay-groups.ts'
