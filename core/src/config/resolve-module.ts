import { existsSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createJiti } from 'jiti'
import { RlenvError } from '../errors/rlenv-error.ts'

/**
 * The file behind a path or package name that stands in a configuration, looked up from that configuration's folder.
 *
 * @param from - absolute path of the configuration file, or of any name inside its folder.
 * @throws {RlenvError} RLENV_CONFIG_NOT_FOUND for a path, RLENV_PLUGIN_NOT_FOUND for a package.
 */
export function resolveModule(name: string, from: string): string {
  if (isPath(name)) return resolvePath(name, from)
  const found = createJiti(from, { fsCache: false }).esmResolve(name, {
    try: true,
    parentURL: pathToFileURL(from).href,
  })
  if (found === undefined) throw packageNotFound(name, from)
  return found.startsWith('file:') ? fileURLToPath(found) : found
}

/** Whether a name in a configuration is a path; otherwise it is a package. */
export function isPath(name: string): boolean {
  return name.startsWith('.') || isAbsolute(name)
}

/** The error for a package that is not installed, with the command that installs it. */
export function packageNotFound(name: string, importer: string, cause?: unknown): RlenvError {
  const parts = name.split('/')
  const installed = parts.slice(0, name.startsWith('@') ? 2 : 1).join('/')
  return new RlenvError(`the package "${name}" that ${importer} uses is not installed`, {
    code: 'RLENV_PLUGIN_NOT_FOUND',
    plugin: installed,
    fix: `Run "npm install ${installed}" in ${dirname(importer)}.`,
    ...(cause === undefined ? {} : { cause }),
  })
}

function resolvePath(name: string, from: string): string {
  const path = resolve(dirname(from), name)
  if (existsSync(path)) return path
  throw new RlenvError(`${from} names ${path}, which does not exist`, {
    code: 'RLENV_CONFIG_NOT_FOUND',
    fix: `Correct "${name}" in ${from}.`,
  })
}
