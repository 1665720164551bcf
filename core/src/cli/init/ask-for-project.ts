import { basename } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { RlenvError } from '../../errors/rlenv-error.ts'
import { type PresetName, type ProjectAnswers, presetNames } from './project-files.ts'

/** A terminal to ask on. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

/**
 * What to write into a new project: what was given, then what a person answers, then defaults.
 *
 * @param terminal - null asks nobody.
 */
export async function askForProject(
  directory: string,
  given: Partial<ProjectAnswers>,
  terminal: Terminal | null,
): Promise<ProjectAnswers> {
  const defaults: ProjectAnswers = { preset: 'arena', name: basename(directory), environments: 60, seed: 7 }
  if (terminal === null) return { ...defaults, ...defined(given) }
  const lines = createInterface(terminal)
  const ask = async <Value>(known: Value | undefined, question: Question<Value>): Promise<Value> => {
    if (known !== undefined) return known
    for (;;) {
      const answer = (await lines.question(`${question.text} [${question.fallback}] `).catch(leave)).trim()
      const value = answer === '' ? question.fallback : question.read(answer)
      if (value !== undefined) return value
      terminal.output.write(`  ${question.expected}\n`)
    }
  }
  try {
    return {
      preset: await ask(given.preset, {
        text: `Preset (${presetNames.join(', ')})`,
        fallback: defaults.preset,
        read: (answer) => presetNames.find((name) => name === answer),
        expected: `one of ${presetNames.join(', ')}`,
      } satisfies Question<PresetName>),
      name: await ask(given.name, textQuestion('Name of the run', defaults.name)),
      environments: await ask(
        given.environments,
        numberQuestion('Environments to synthesise', defaults.environments, 2),
      ),
      seed: await ask(given.seed, numberQuestion('Seed', defaults.seed, 0)),
    }
  } finally {
    lines.close()
  }
}

/** Ctrl-C at a question. */
function leave(cause: unknown): never {
  throw new RlenvError('init was left before anything was written', {
    code: 'RLENV_INTERRUPTED',
    fix: 'Run "rlenv init" again, or give the answers as flags with --yes.',
    cause,
  })
}

interface Question<Value> {
  readonly text: string
  readonly fallback: Value
  /** Undefined for an answer that does not fit. */
  read(answer: string): Value | undefined
  readonly expected: string
}

function textQuestion(text: string, fallback: string): Question<string> {
  return { text, fallback, read: (answer) => answer, expected: 'some text' }
}

function numberQuestion(text: string, fallback: number, least: number): Question<number> {
  const read = (answer: string) => {
    const value = Number(answer)
    return Number.isSafeInteger(value) && value >= least ? value : undefined
  }
  return { text, fallback, read, expected: `a whole number, ${least} or more` }
}

function defined(given: Partial<ProjectAnswers>): Partial<ProjectAnswers> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
