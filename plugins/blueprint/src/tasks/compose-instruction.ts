import type { RandomStream } from 'rlenv'
import { capitalized } from '../plan/naming.ts'
import type { Goal } from './goal.ts'

/** What a user would write: the goals in order, joined and framed. Questions come last. */
export function composeInstruction(goals: readonly Goal[], random: RandomStream): string {
  const acts = goals.filter((goal) => !goal.question).map((goal) => goal.text)
  const questions = goals.filter((goal) => goal.question).map((goal) => goal.text)
  const greeting = random.chance(0.15) ? random.pick(['Hi. ', 'Hello! ', 'Good morning. ']) : ''
  const please = acts.length > 0 && random.chance(0.2) ? 'please ' : ''
  const body = acts.length === 0 ? '' : `${joinActs([please + acts[0], ...acts.slice(1)], random)}.`
  const asked = questions.map((text) => (body === '' ? capitalized(text) : `${leadIn(text, random)}`))
  return greeting + [body, ...asked, closing(goals, random)].filter((part) => part !== '').join(' ')
}

function joinActs(acts: readonly string[], random: RandomStream): string {
  let text = capitalized(acts[0] ?? '')
  for (const act of acts.slice(1)) {
    text += random.pick([` and ${act}`, ` and then ${act}`, `. Also, ${act}`, `. After that, ${act}`])
  }
  return text
}

function leadIn(question: string, random: RandomStream): string {
  return random.chance(0.5) ? capitalized(question) : `${random.pick(['Also,', 'After that,', 'Then,'])} ${question}`
}

function closing(goals: readonly Goal[], random: RandomStream): string {
  if (random.chance(0.1)) return 'Thanks!'
  return goals.some((goal) => !goal.question) && random.chance(0.1) ? 'Do not change anything else.' : ''
}
