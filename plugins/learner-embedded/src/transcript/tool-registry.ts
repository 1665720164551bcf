import { contentHash, type ToolDefinition } from 'rlenv'

const listsByHash = new Map<string, readonly ToolDefinition[]>()
const hashes = new WeakMap<readonly ToolDefinition[], string>()

/**
 * Content hash of a tool list. Remembers the list under it for this process: a trajectory names the tools that its policy
 * was offered by this hash, and a learner that rebuilds features asks for them here.
 */
export function rememberTools(tools: readonly ToolDefinition[]): string {
  const known = hashes.get(tools)
  if (known !== undefined) return known
  const hash = contentHash(tools)
  hashes.set(tools, hash)
  if (!listsByHash.has(hash)) listsByHash.set(hash, tools)
  return hash
}

/** Every list that this process has seen, in the order of their hashes. */
export function rememberedTools(): readonly (readonly ToolDefinition[])[] {
  return [...listsByHash].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tools]) => tools)
}

/** The tool list of a hash; undefined when this process has not seen it. */
export function recallTools(hash: string): readonly ToolDefinition[] | undefined {
  return listsByHash.get(hash)
}
