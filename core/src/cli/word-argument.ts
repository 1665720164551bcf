import { Args } from '@oclif/core'

/**
 * A word of the command line. One that is left out is left out: oclif would read it from standard input, which in a
 * script or a job belongs to somebody else.
 */
export const wordArgument = Args.custom<string>({ ignoreStdin: true })
