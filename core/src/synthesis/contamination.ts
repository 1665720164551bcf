import type { Task } from '../vocabulary/task.ts'

/** Two tasks of different environments that read alike. */
export interface TaskPair {
  readonly first: string
  readonly second: string
  /** Jaccard similarity of their sets of words, 0 to 1; 1 also for texts that differ in order alone. */
  readonly similarity: number
}

/** How much of one environment's tasks another environment gives away. */
export interface ContaminationReport {
  readonly tasks: number
  /** Tasks whose very text also stands in another environment. */
  readonly sharedInstructions: number
  /** Tasks with a near-duplicate in another environment, shared texts included. */
  readonly nearDuplicates: number
  /** The pairs, most similar first, at most 50. */
  readonly pairs: readonly TaskPair[]
}

const mostPairs = 50

/** From here on, in Jaccard similarity, two instructions count as near-duplicates. */
const nearDuplicateSimilarity = 0.8

/**
 * Compares the instructions of tasks across environments: an environment that is held out must not hold the texts of
 * one that is trained on. Case, punctuation and white space do not count.
 *
 * Pairs are found by prefix filtering: sets with Jaccard similarity t or more share a word among the rarest
 * |set| − ⌈t·|set|⌉ + 1 of each. See Bayardo et al., "Scaling up all pairs similarity search" (WWW 2007).
 */
export function contamination(tasks: readonly Task[], similarity = nearDuplicateSimilarity): ContaminationReport {
  const pairs = similarPairs(readings(tasks), similarity)
  const shared = pairs.filter(({ first, second }) => first.text === second.text)
  const report = pairs.map(({ first, second, similarity: value }) => {
    return { first: first.task.id, second: second.task.id, similarity: value }
  })
  report.sort((a, b) => b.similarity - a.similarity || (a.first < b.first ? -1 : 1))
  return {
    tasks: tasks.length,
    sharedInstructions: distinctTasks(shared),
    nearDuplicates: distinctTasks(pairs),
    pairs: report.slice(0, mostPairs),
  }
}

/** An instruction as it is compared. */
interface Reading {
  readonly task: Task
  /** Its words in lower case, one space between them. */
  readonly text: string
  /** Distinct words, rarest of the whole collection first. */
  readonly words: readonly string[]
}

interface Pair {
  readonly first: Reading
  readonly second: Reading
  readonly similarity: number
}

const wordsOf = (text: string) =>
  text
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

function readings(tasks: readonly Task[]): Reading[] {
  const texts = tasks.map((task) => ({ task, all: wordsOf(task.instruction) }))
  const frequency = new Map<string, number>()
  for (const { all } of texts) for (const word of new Set(all)) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  const rarity = (a: string, b: string) => (frequency.get(a) ?? 0) - (frequency.get(b) ?? 0) || (a < b ? -1 : 1)
  return texts.map(({ task, all }) => ({ task, text: all.join(' '), words: [...new Set(all)].sort(rarity) }))
}

function similarPairs(all: readonly Reading[], threshold: number): Pair[] {
  const seen = new Map<string, Reading[]>()
  const pairs: Pair[] = []
  for (const second of all) {
    const { length } = second.words
    const prefix = second.words.slice(0, length - Math.ceil(threshold * length) + 1)
    const candidates = new Set(prefix.flatMap((word) => seen.get(word) ?? []))
    for (const first of candidates) {
      if (first.task.environmentId === second.task.environmentId) continue
      const similarity = jaccard(first.words, second.words)
      if (similarity >= threshold) pairs.push({ first, second, similarity })
    }
    for (const word of prefix) add(seen, word, second)
  }
  return pairs
}

function add(index: Map<string, Reading[]>, word: string, reading: Reading): void {
  const list = index.get(word)
  if (list === undefined) index.set(word, [reading])
  else list.push(reading)
}

function jaccard(a: readonly string[], b: readonly string[]): number {
  const other = new Set(b)
  const common = a.filter((word) => other.has(word)).length
  return common / (a.length + b.length - common)
}

function distinctTasks(pairs: readonly Pair[]): number {
  return new Set(pairs.flatMap(({ first, second }) => [first.task.id, second.task.id])).size
}
