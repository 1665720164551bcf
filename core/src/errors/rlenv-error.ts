import type { ErrorCode } from './error-codes.ts'

export interface RlenvErrorOptions extends ErrorOptions {
  readonly code: ErrorCode
  /** The one next thing to do, as an imperative sentence. */
  readonly fix?: string
  readonly plugin?: string
  readonly hook?: string
}

/** Every error rlenv throws on purpose. Match on `code`, never on the message. */
export class RlenvError extends Error {
  override readonly name = 'RlenvError'
  readonly code: ErrorCode
  readonly fix: string | undefined
  readonly plugin: string | undefined
  readonly hook: string | undefined

  constructor(message: string, options: RlenvErrorOptions) {
    super(message, options)
    this.code = options.code
    this.fix = options.fix
    this.plugin = options.plugin
    this.hook = options.hook
  }
}

/** Whether a value is an error that rlenv threw, also when it comes from another copy of the package. */
export function isRlenvError(value: unknown): value is RlenvError {
  return value instanceof Error && value.name === 'RlenvError' && 'code' in value
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
