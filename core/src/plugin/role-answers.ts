import type { CallSite } from '../errors/plugin-error.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import { isThenable } from './guard.ts'

/** What is wrong with an answer, or null. */
type Check = (answer: Readonly<Record<string, unknown>>) => string | null

/** Methods whose answer is used at once: a promise would be kept as if it were the answer, and its failure lost. */
const answersAtOnce: ReadonlySet<string> = new Set([
  'sampler.draw',
  'sampler.observe',
  'sampler.state',
  'sampler.restore',
])

/** What must be there of the answers that are used member by member. */
const checks: Readonly<Record<string, Check>> = {
  'algorithm.batch': batchFault,
  'learner.accumulate': ({ loss, sums }) =>
    typeof loss === 'number' && isObject(sums) ? null : 'expected { loss, sums } with a number and an object',
  'learner.step': ({ gradNorm, applied, reason }) =>
    typeof gradNorm === 'number' && typeof applied === 'boolean' && (reason === null || typeof reason === 'string')
      ? null
      : 'expected { gradNorm, applied, reason } with a number, a boolean, and a text or null',
  'curriculum.next': ({ targets }) => (Array.isArray(targets) ? null : 'expected { targets } with a list'),
}

/**
 * Hands on what a role's method answered, once it has the form that its caller counts on.
 *
 * @throws {RlenvError} RLENV_PLUGIN_RETURNED_INVALID naming plugin, method and what is wrong.
 */
export function checkedAnswer(site: CallSite, answer: unknown): unknown {
  if (!isThenable(answer)) return checkAnswer(site, answer)
  if (!answersAtOnce.has(site.hook)) return answer.then((value) => checkAnswer(site, value))
  // What becomes of it is of no interest any more, and must not end the process.
  answer.then(undefined, () => undefined)
  throw misfit(site, 'it is a promise, and this method answers at once', `Take "async" off ${site.hook}.`)
}

function checkAnswer(site: CallSite, answer: unknown): unknown {
  const fault = checks[site.hook]?.(Object(answer) as Readonly<Record<string, unknown>>) ?? null
  if (fault === null) return answer
  throw misfit(
    site,
    `${fault}, got ${answer === null ? 'null' : typeof answer}`,
    `Correct what ${site.plugin} returns from ${site.hook}; docs/hooks.md gives the form.`,
  )
}

function misfit({ plugin, hook }: CallSite, problem: string, fix: string): RlenvError {
  return new RlenvError(`${plugin} returned a value that does not fit ${hook}: ${problem}`, {
    code: 'RLENV_PLUGIN_RETURNED_INVALID',
    plugin,
    hook,
    fix,
  })
}

function batchFault({ samples, loss, metrics }: Readonly<Record<string, unknown>>): string | null {
  if (!Array.isArray(samples) || !isObject(metrics)) return 'expected { samples, loss, metrics } with a list of samples'
  if (typeof (Object(loss) as { evaluate?: unknown }).evaluate !== 'function') return 'expected a loss with evaluate()'
  for (const [index, sample] of samples.entries()) {
    const fault = sampleFault(Object(sample) as Readonly<Record<string, unknown>>)
    if (fault !== null) return `sample ${index}${fault}`
  }
  return null
}

/** Values per action, which must all be as many as there are actions. */
const perAction = ['mask', 'behaviorLogProbs', 'advantages', 'weights'] as const

function sampleFault(sample: Readonly<Record<string, unknown>>): string | null {
  const { id } = Object(sample.trajectory) as { readonly id?: unknown }
  if (typeof id !== 'string') return ' has no trajectory'
  const actions = lengthOf(sample.actions)
  if (actions === null) return ` of rollout ${id} has no actions`
  const odd = perAction.find((name) => lengthOf(sample[name]) !== actions)
  if (odd === undefined) return null
  return ` of rollout ${id} has ${actions} actions and ${lengthOf(sample[odd]) ?? 'no'} values of "${odd}"`
}

function lengthOf(list: unknown): number | null {
  return Array.isArray(list) || ArrayBuffer.isView(list) ? Number(Reflect.get(list, 'length')) : null
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
