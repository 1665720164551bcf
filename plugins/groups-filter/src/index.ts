export { type FilterGroupsOptions, filterGroups } from './filter-groups.ts'
