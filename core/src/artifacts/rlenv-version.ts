import { createRequire } from 'node:module'
import { z } from 'zod'

const packageFile: unknown = createRequire(import.meta.url)('../../package.json')

/** Version of the installed package `rlenv`. */
export const rlenvVersion: string = z.object({ version: z.string() }).parse(packageFile).version
