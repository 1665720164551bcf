/**
 * A policy rejects with this when the conversation no longer fits its context. The rollout then ends as truncated, which
 * is the policy's affair, and not as a fault of the model service.
 */
export class ContextOverflow extends Error {
  override readonly name = 'ContextOverflow'
}

/** Also true for one that comes from another copy of the package. */
export function isContextOverflow(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'ContextOverflow'
}
