import { stemHash } from './stem.ts'

const words = `a an the this that these those it its he she him her his they them their i me my we us our you your
is are was were be been being am do does did done have has had having can could will would shall should may might must
and or but if so as at by for from in into of off on onto out over to up with within without about after before than then
there here also just only not no nor please kindly hi hello hey thanks thank dear need want like let make sure get got
what which who whom whose when where why how any all some each every other another same such
anything else everything nothing something one ones very too now yet still again once`
  .split(/\s+/)
  .filter((word) => word !== '')

/** Stems of words that say little about what is wanted. */
export const stopStems: ReadonlySet<number> = new Set(words.map(stemHash))
