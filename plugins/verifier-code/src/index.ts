export { type CodeVerifierOptions, codeVerifier } from './code-verifier.ts'
export type { AnswerCheck, AnswerWording, CallCheck, ColumnReference, StoredChecks } from './stored-checks.ts'
