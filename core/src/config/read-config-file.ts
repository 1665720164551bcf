import { access, readFile } from 'node:fs/promises'
import { createJiti } from 'jiti'
import { messageOf, RlenvError } from '../errors/rlenv-error.ts'
import { loadedInTime } from './load-deadline.ts'
import { packageNotFound } from './resolve-module.ts'

/**
 * What a configuration file exports: its default export, `module.exports`, or its JSON. TypeScript is compiled by jiti,
 * so no TypeScript needs to be installed.
 *
 * @param file - absolute path.
 * @throws {RlenvError} RLENV_CONFIG_NOT_FOUND; RLENV_CONFIG_FAILED with file and line when it does not load;
 * RLENV_PLUGIN_NOT_FOUND when it imports a package that is not installed.
 */
export async function readConfigFile(file: string): Promise<unknown> {
  const text = await readText(file)
  if (text.trim() === '')
    throw failed(`${file} is empty`, 'Export a configuration: export default defineConfig({ ... }).')
  return file.endsWith('.json') ? parseJson(file, text) : defaultExport(file, text, await importModule(file))
}

/** Loads a module by absolute path, TypeScript or not. @throws {RlenvError} as {@link readConfigFile} does. */
export function importModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  return loadedInTime(imported(file), file)
}

async function imported(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await createJiti(file, { fsCache: false }).import(file)
  } catch (error) {
    throw missingPackage(error, file) ?? loadFailure(error, file)
  }
}

/** The error for something that a configuration threw, with the line where it happened. */
export function loadFailure(error: unknown, file: string): RlenvError {
  const message = messageOf(error)
  const parse = /ParseError: (.*?)\s+(\S+:\d+:\d+)\s*$/s.exec(message)
  const place = parse?.[2] ?? ownFrame(error) ?? file
  const reason = parse === null ? named(error) : `SyntaxError: ${parse[1]?.trim()}`
  return new RlenvError(`${place} does not load: ${reason}`, {
    code: 'RLENV_CONFIG_FAILED',
    cause: error,
    fix: `Repair the error at ${place}.`,
  })
}

/** What some editors begin a file with; JSON does not allow it. */
const byteOrderMark = '\uFEFF'

async function readText(file: string): Promise<string> {
  try {
    await access(file)
    const text = await readFile(file, 'utf8')
    return text.startsWith(byteOrderMark) ? text.slice(1) : text
  } catch (cause) {
    throw new RlenvError(`${file} cannot be read: ${messageOf(cause)}`, {
      code: 'RLENV_CONFIG_NOT_FOUND',
      cause,
      fix: 'Give the path of a configuration file that exists, or run "rlenv init" to write one.',
    })
  }
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const position = /position (\d+)/.exec(messageOf(cause))?.[1]
    const before = text.slice(0, Number(position ?? text.length)).split('\n')
    const place = `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
    throw failed(`${place} is not JSON: ${messageOf(cause)}`, `Repair the JSON at ${place}.`, cause)
  }
}

function defaultExport(file: string, text: string, module: Readonly<Record<string, unknown>>): unknown {
  if ('default' in module) return withoutInterop(module.default)
  if (/\b(module\.)?exports\b/.test(text)) return module
  throw failed(`${file} has no default export`, 'Export a configuration: export default defineConfig({ ... }).')
}

/** CommonJS that was compiled from an ES module keeps its default export one level deeper. */
function withoutInterop(value: unknown): unknown {
  const compiled = typeof value === 'object' && value !== null && Reflect.get(value, '__esModule') === true
  return compiled ? Reflect.get(value, 'default') : value
}

function missingPackage(error: unknown, file: string): RlenvError | undefined {
  const message = messageOf(error)
  const name = /^Cannot find (?:module|package) '([^']+)'/.exec(message)?.[1]
  if (name === undefined || /^[./]|^node:|^[A-Za-z]:\\|^file:/.test(name)) return undefined
  const importer = /imported from (\S+)/.exec(message)?.[1] ?? /Require stack:\n- (.+)/.exec(message)?.[1] ?? file
  return packageNotFound(name, importer, error)
}

/** The innermost place in the stack that is not Node's, jiti's or an installed package's. */
function ownFrame(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const places = stack
    .split('\n')
    .flatMap(
      (line) =>
        /(?:\(|at )(?:async )?(?:file:\/\/)?(\/[^()]+:\d+:\d+|[A-Za-z]:\\[^()]+:\d+:\d+)\)?$/.exec(line)?.[1] ?? [],
    )
  return places.find((place) => !/[\\/]node_modules[\\/]/.test(place))
}

function named(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}

function failed(message: string, fix: string, cause?: unknown): RlenvError {
  return new RlenvError(message, { code: 'RLENV_CONFIG_FAILED', fix, cause })
}
