import { RlenvError } from '../errors/rlenv-error.ts'

const scriptPath = /^(tools|verifiers)\/[A-Za-z0-9_-]+\.ts$/
const verifierPath = /^verifiers\/[A-Za-z0-9_-]+\.json$/
const fixedPaths = new Set(['schema.sql', 'data.sql', 'tools.json', 'tasks.jsonl'])
const forbiddenSegment = /^\.{0,2}$|[\\:*?"<>|]|[. ]$/

/** Whether a path names a part that a bundle may have; no path can leave the bundle or be written on one system only. */
export function isPartPath(path: string): boolean {
  if (fixedPaths.has(path) || scriptPath.test(path) || verifierPath.test(path)) return true
  return path.startsWith('files/') && isSafeRelative(path.slice('files/'.length))
}

function isSafeRelative(path: string): boolean {
  return path.split('/').every((segment) => !(forbiddenSegment.test(segment) || hasControl(segment)))
}

function hasControl(text: string): boolean {
  return [...text].some((character) => (character.codePointAt(0) ?? 0) < 0x20)
}

/** What a damaged bundle is refused with. `where` is its folder or file, `part` the path inside it. */
export function bundleError(where: string, part: string, problem: string, cause?: unknown): RlenvError {
  return new RlenvError(`environment bundle ${where} is damaged: ${part} ${problem}`, {
    code: 'RLENV_BUNDLE_INVALID',
    fix: 'Restore the file from where the bundle came from, or synthesise the environment again.',
    ...(cause === undefined ? {} : { cause }),
  })
}
