import { createRequire } from 'node:module'
import { messageOf, RlenvError } from '../../errors/rlenv-error.ts'

const require = createRequire(import.meta.url)

/** Compiled texts by source; the oldest go first. */
const compiled = new Map<string, string>()
const mostCompiled = 2_000

/**
 * The JavaScript of a TypeScript file, types blanked out, so that lines and columns of errors stay right.
 *
 * @throws {RlenvError} RLENV_SCRIPT_FAILED when the text does not parse or uses TypeScript that is more than types.
 */
export function stripTypes(source: string, file: string): string {
  const known = compiled.get(source)
  if (known !== undefined) return known
  const { transformSync } = require('amaro') as {
    transformSync(source: string, options: { mode: 'strip-only'; filename: string }): { readonly code: string }
  }
  try {
    const { code } = transformSync(source, { mode: 'strip-only', filename: file })
    const [oldest] = compiled.keys()
    if (compiled.size >= mostCompiled && oldest !== undefined) compiled.delete(oldest)
    compiled.set(source, code)
    return code
  } catch (cause) {
    throw new RlenvError(`${file} does not compile: ${messageOf(cause).replaceAll(/\s+/g, ' ').trim()}`, {
      code: 'RLENV_SCRIPT_FAILED',
      fix: 'Write it in TypeScript whose types can be erased.',
      cause,
    })
  }
}
