import { canonicalJson, type Json, jsonFault } from 'rlenv'
import type { AnswerCheck } from './stored-checks.ts'

/** Longest text that is still an answer and not a dump, in characters beyond the expected value. */
const longestSentence = 200

/** Whether a final answer gives the expected value, and nothing that takes it back. */
export function isAnswerRight(check: AnswerCheck, answer: string | null, instruction: string): boolean {
  if (answer === null) return false
  if (isValue(check.value, answer)) return true
  return check.wording === 'sentence' && isStated(check, answer, instruction)
}

/** Whether the text is the value and nothing else, whatever its case, spacing or number form. */
function isValue(expected: Json, answer: string): boolean {
  const text = bare(answer)
  if (typeof expected === 'number') return sameNumber(expected, numberOf(text))
  if (typeof expected === 'string') return normalized(expected) === normalized(text)
  if (typeof expected === 'boolean') return (expected ? ['true', 'yes'] : ['false', 'no']).includes(normalized(text))
  if (expected === null) return true
  return isStructure(expected, text)
}

/** Lists compare as multisets, also when they are written with commas; objects by content. */
function isStructure(expected: Json, text: string): boolean {
  const parsed = parsedJson(text)
  if (!Array.isArray(expected)) return parsed !== undefined && sameJson(parsed, expected)
  const items = Array.isArray(parsed) ? (parsed as readonly Json[]) : text.split(/[,;\n]/).map((item) => item.trim())
  if (items.length !== expected.length) return false
  const left = [...items]
  for (const one of expected as readonly Json[]) {
    const at = left.findIndex((item) => (typeof item === 'string' ? isValue(one, item) : sameJson(item, one)))
    if (at < 0) return false
    left.splice(at, 1)
  }
  return left.length === 0
}

function sameJson(left: Json, right: Json): boolean {
  return canonicalJson(left) === canonicalJson(right)
}

function parsedJson(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json
    return jsonFault(value) === null ? value : undefined
  } catch {
    return undefined
  }
}

/** A short sentence that holds the value and no other candidate. */
function isStated(check: AnswerCheck, answer: string, instruction: string): boolean {
  const { value } = check
  if (typeof value === 'number') return isOnlyNumber(value, answer, instruction)
  if (typeof value !== 'string' || answer.length > value.length + longestSentence) return false
  const text = ` ${wordsOf(answer)} `
  const holds = (candidate: string): boolean => text.includes(` ${wordsOf(candidate)} `)
  if (!holds(value)) return false
  const rest = text.replaceAll(` ${wordsOf(value)} `, '  ')
  const asked = ` ${wordsOf(instruction)} `
  return !check.alternatives.some((other) => {
    const words = ` ${wordsOf(other)} `
    return rest.includes(words) && !asked.includes(words)
  })
}

/** Numbers that the task itself names may be repeated; of all others the answer holds the expected one alone. */
function isOnlyNumber(expected: number, answer: string, instruction: string): boolean {
  if (answer.length > longestSentence) return false
  const asked = new Set(numbersIn(instruction))
  const numbers = new Set(numbersIn(answer).filter((number) => number === expected || !asked.has(number)))
  return numbers.size === 1 && [...numbers].every((number) => sameNumber(expected, number))
}

function numbersIn(text: string): readonly number[] {
  return (text.match(/[-+]?\d[\d,]*(?:\.\d+)?/g) ?? []).map((match) => numberOf(match) ?? Number.NaN)
}

const opening = /[\s"'“”‘’`*_]/u
const closing = /[\s"'“”‘’`*_.!]/u

/** Takes off quotes, emphasis and a closing full stop, character by character: one pattern takes quadratic time. */
function bare(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && opening.test(text.charAt(start))) start++
  while (end > start && closing.test(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

function normalized(text: string): string {
  return bare(text.normalize('NFC')).replace(/\s+/gu, ' ').toLowerCase()
}

function wordsOf(text: string): string {
  return normalized(text)
    .replace(/[^\p{L}\p{N}.@+-]+/gu, ' ')
    .replace(/\.(?=\s|$)/g, '')
    .trim()
}

/** Reads "1,234.50", "€ 12" and "5.0"; undefined when the text is more than a number. */
function numberOf(text: string): number | undefined {
  const digits = text.replace(/^[$€£¥]|[$€£¥%]$/gu, '').trim()
  const plain = /^[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(digits) ? digits.replaceAll(',', '') : digits
  return /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i.test(plain) ? Number(plain) : undefined
}

function sameNumber(expected: number, actual: number | undefined): boolean {
  if (actual === undefined) return false
  return actual === expected || Math.abs(actual - expected) <= 1e-9 * Math.max(Math.abs(actual), Math.abs(expected))
}
