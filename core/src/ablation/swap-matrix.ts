import { RlenvError } from '../errors/rlenv-error.ts'
import type { Arm, Swap } from './ablation-plan.ts'

/**
 * The arms that words like `groups=filter,replay,none` and `training.maxStaleness=0,1` span: every value of each with
 * every value of the others, the first of each together first.
 *
 * @throws {RlenvError} RLENV_USAGE for a word without values, or a key that comes twice.
 */
export function swapMatrix(words: readonly string[]): readonly Arm[] {
  const factors = words.map(factorOf)
  const repeated = factors.find(({ key }, index) => factors.findIndex((other) => other.key === key) !== index)
  if (repeated !== undefined) {
    throw usage(`--swap names ${repeated.key} twice`, 'List all of its values in one --swap, separated by commas.')
  }
  const combinations = factors.reduce<readonly (readonly Swap[])[]>(
    (before, { key, values }) => before.flatMap((swaps) => values.map((value) => [...swaps, { key, value }])),
    [[]],
  )
  return combinations.map((swaps) => ({ name: nameOf(swaps), source: { kind: 'swaps', swaps } }))
}

function nameOf(swaps: readonly Swap[]): string {
  return swaps.map(({ key, value }) => `${key}=${value}`).join(' ')
}

function factorOf(word: string): { readonly key: string; readonly values: readonly string[] } {
  const at = word.indexOf('=')
  const key = word.slice(0, at).trim()
  const values = word
    .slice(at + 1)
    .split(',')
    .map((value) => value.trim())
  if (at < 1 || values.some((value) => value === '')) {
    throw usage(
      `--swap ${word} names no values`,
      'Write --swap groups=filter,replay,none or --swap training.steps=50,100.',
    )
  }
  const repeated = values.find((value, index) => values.indexOf(value) !== index)
  if (repeated === undefined) return { key, values }
  throw usage(`--swap ${word} lists ${repeated} twice`, 'Name each value once.')
}

function usage(message: string, fix: string): RlenvError {
  return new RlenvError(message, { code: 'RLENV_USAGE', fix })
}
