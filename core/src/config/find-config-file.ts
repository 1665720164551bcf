import { resolve } from 'node:path'
import { cosmiconfig } from 'cosmiconfig'
import { RlenvError } from '../errors/rlenv-error.ts'

const extensions = ['ts', 'mts', 'cts', 'mjs', 'cjs', 'js', 'json'] as const

/**
 * The configuration file to use: the one that was named, or the first `rlenv.config.*` in `cwd` or above it up to the
 * project's root.
 *
 * @throws {RlenvError} RLENV_CONFIG_NOT_FOUND
 */
export async function findConfigFile(file: string | undefined, cwd: string): Promise<string> {
  if (file !== undefined) return resolve(cwd, file)
  const searchPlaces = extensions.map((extension) => `rlenv.config.${extension}`)
  // cosmiconfig only searches; files are read by readConfigFile, which keeps the real error of a file that fails.
  const loaders = Object.fromEntries(extensions.map((extension) => [`.${extension}`, () => ({})]))
  const explorer = cosmiconfig('rlenv', {
    searchPlaces,
    loaders,
    searchStrategy: 'project',
    ignoreEmptySearchPlaces: false,
    cache: false,
  })
  const found = await explorer.search(cwd)
  if (found !== null) return found.filepath
  throw new RlenvError(`no rlenv.config.{${extensions.join(',')}} in ${resolve(cwd)} or above it`, {
    code: 'RLENV_CONFIG_NOT_FOUND',
    fix: 'Run "rlenv init" to write one, or name one with "-c".',
  })
}
