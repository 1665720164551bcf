import type { Json, JsonObject } from 'rlenv'
import type { ColumnLayout } from './column-layout.ts'
import type { Observation, ObservedRow, Scalar } from './observation.ts'
import { matchRow, relevanceOf } from './row-match.ts'
import type { TaskView } from './task-view.ts'
import type { ToolView } from './tool-view.ts'

/** How a call ended. */
export const callResults = { none: 0, rows: 1, empty: 2, failed: 3, written: 4 } as const

/** A row that the policy has seen. */
export interface SeenRow extends ObservedRow {
  readonly index: number
  readonly tool: number
  /** Ordinal of the call that returned it. */
  readonly call: number
  /** Bit per goal that it belongs to. */
  readonly goals: number
  /** Spans of the task text that stand in it. */
  readonly spans: readonly number[]
  /** Weighted number of mentions of its cells in the text. */
  readonly hits: number
  /** 0 the only row, 1 best, 2 tied for best, 3 other; among the rows of its call. */
  relevance: number
}

/** An id in a row. */
export interface SeenId {
  readonly value: Scalar
  /** Number of the value; equal values have equal numbers. */
  readonly number: number
  readonly row: number
  readonly signature: number
  /** It stands in the row's first column. */
  readonly first: boolean
}

interface PastCall {
  readonly tool: number
  readonly result: number
}

/** What the policy remembers of a rollout: everything follows from the messages. */
export class Episode {
  readonly view: TaskView
  readonly rows: SeenRow[] = []
  readonly ids: SeenId[] = []
  /** By key signature: bit per goal of the rows that such ids stand in. */
  readonly goalsBySignature = new Map<number, number>()
  readonly calls: PastCall[] = []
  /** Shape [tools]: how often called, and how the latest call ended. */
  readonly called: Uint8Array
  readonly lastResults: Uint8Array
  /** Shape [tools]: 1 when its call failed since the last new information. */
  readonly erroredSince: Uint8Array
  /** Shape [tools]: its failed or empty calls since one that was neither. */
  readonly failures: Uint8Array
  /** Shape [spans]: 1 when a look-up with it found rows; when a write took it as argument. */
  readonly resolved: Uint8Array
  readonly written: Uint8Array
  /** Tool of the goal that the previous turn set; the number of tools when it was to finish; −1 before. */
  intent = -1
  /** Whether the intent's own call has come since. */
  intentCalled = false
  activeGoal = 0
  goalsDone = 0
  /** Calls since the last one that wrote or returned a value not seen before. */
  stale = 0
  writes = 0
  readonly #values = new Map<string, number>()
  readonly #used = new Set<number>()
  readonly #failed = new Set<number>()
  readonly #tried = new Set<number>()

  constructor(view: TaskView) {
    this.view = view
    const tools = view.catalogue.tools.length
    this.called = new Uint8Array(tools)
    this.lastResults = new Uint8Array(tools)
    this.erroredSince = new Uint8Array(tools)
    this.failures = new Uint8Array(tools)
    this.resolved = new Uint8Array(view.text.spans.length)
    this.written = new Uint8Array(view.text.spans.length)
  }

  /** How the latest call ended. */
  get lastResult(): number {
    return this.calls.at(-1)?.result ?? callResults.none
  }

  get goalsLeft(): number {
    return this.view.text.goals.length - this.goalsDone
  }

  setIntent(intent: number): void {
    if (intent !== this.intent) this.intentCalled = false
    this.intent = intent
  }

  /** Takes in one call and what came of it; a tool that is not in the catalogue has index −1. */
  record(tool: number, args: JsonObject, observation: Observation): void {
    const view = this.view.catalogue.tools[tool]
    const result = resultOf(view, observation)
    const call = this.calls.push({ tool, result }) - 1
    if (view === undefined) return
    this.called[tool] = Math.min(200, (this.called[tool] as number) + 1)
    this.lastResults[tool] = result
    this.#remember(view, args, result)
    const fruitless = result === callResults.failed || result === callResults.empty
    this.failures[tool] = fruitless ? Math.min(200, (this.failures[tool] as number) + 1) : 0
    if (tool === this.intent && result !== callResults.failed) this.intentCalled = true
    const known = this.#values.size
    this.#addRows(view, call, args, observation.rows)
    const news = result === callResults.written || this.#values.size > known
    this.stale = news ? 0 : this.stale + 1
    if (news) this.erroredSince.fill(0)
    if (result === callResults.failed) this.erroredSince[tool] = 1
    if (result === callResults.written) this.#finishGoal()
  }

  usedId(tool: number, value: number): boolean {
    return this.#used.has(pair(tool, value))
  }

  failedId(tool: number, value: number): boolean {
    return this.#failed.has(pair(tool, value))
  }

  triedSpan(tool: number, span: number): boolean {
    return this.#tried.has(pair(tool, span))
  }

  /** Number of a value; a new one for a value not seen before. */
  valueNumber(value: Scalar): number {
    const text = String(value)
    const known = this.#values.get(text)
    if (known !== undefined) return known
    this.#values.set(text, this.#values.size)
    return this.#values.size - 1
  }

  #remember(tool: ToolView, args: JsonObject, result: number): void {
    const fruitless = result === callResults.failed || result === callResults.empty
    for (const parameter of tool.parameters) {
      const value = args[parameter.name]
      if (!isScalar(value)) continue
      const used = pair(tool.index, this.valueNumber(value))
      if (parameter.isId) this.#used.add(used)
      if (parameter.isId && fruitless) this.#failed.add(used)
      for (const span of this.#spansOf(value)) this.#markSpan(span, tool.index, result)
    }
  }

  #markSpan(span: number, tool: number, result: number): void {
    this.#tried.add(pair(tool, span))
    if (result === callResults.rows) this.resolved[span] = 1
    if (result === callResults.written) this.written[span] = 1
  }

  #spansOf(value: Scalar): readonly number[] {
    return this.view.text.spansByKey.get(String(value).toLowerCase()) ?? []
  }

  #addRows(tool: ToolView, call: number, args: JsonObject, rows: readonly ObservedRow[]): void {
    const from = this.rows.length
    const inherited = rows.length === 0 ? 0 : this.#goalsOfArguments(args)
    let layout: ColumnLayout | null = null
    for (const row of rows) {
      if (layout === null || !layout.fits(row.keys)) layout = this.view.keys.layout(row.keys, tool.index)
      if (!tool.readOnly && !layout.hasId) continue
      const { spans, hits, goals } = matchRow(row, layout.signatures, this.view.text, this.activeGoal)
      const index = this.rows.length
      this.#addIds(row, index, layout, goals | inherited)
      this.rows.push({
        index,
        keys: row.keys,
        cells: row.cells,
        tool: tool.index,
        call,
        goals: goals | inherited,
        spans,
        hits,
        relevance: 0,
      })
    }
    const added = this.rows.slice(from)
    const relevances = relevanceOf(added.map((row) => row.hits))
    for (const [i, row] of added.entries()) row.relevance = relevances[i] as number
  }

  #addIds(row: ObservedRow, index: number, { signatures }: ColumnLayout, goals: number): void {
    for (let column = 0; column < signatures.length; column++) {
      const signature = signatures[column] as number
      const value = row.cells[column] ?? null
      if (signature < 0 || value === null || typeof value === 'boolean') continue
      this.goalsBySignature.set(signature, goals | (this.goalsBySignature.get(signature) ?? 0))
      this.ids.push({ value, number: this.valueNumber(value), row: index, signature, first: column === 0 })
    }
  }

  /** Goals that the spans and ids among the arguments belong to; the active one when they say nothing. */
  #goalsOfArguments(args: JsonObject): number {
    let goals = 0
    for (const value of Object.values(args)) {
      if (!isScalar(value)) continue
      for (const span of this.#spansOf(value)) goals |= 1 << (this.view.text.spans[span]?.goal ?? 0)
      goals |= this.#goalsOfId(this.valueNumber(value))
    }
    return goals === 0 ? 1 << this.activeGoal : goals
  }

  #goalsOfId(number: number): number {
    let goals = 0
    for (const id of this.ids) if (id.number === number && id.first) goals |= this.rows[id.row]?.goals ?? 0
    return goals
  }

  #finishGoal(): void {
    this.writes++
    this.intent = -1
    this.intentCalled = false
    this.goalsDone = Math.min(this.view.text.goals.length, this.goalsDone + 1)
    this.activeGoal = Math.min(this.view.text.goals.length - 1, this.goalsDone)
  }
}

const isScalar = (value: Json | undefined): value is Exclude<Scalar, null> =>
  value !== undefined && value !== null && typeof value !== 'object'

const pair = (a: number, b: number): number => a * 65536 + b

function resultOf(tool: ToolView | undefined, observation: Observation): number {
  if (observation.failed) return callResults.failed
  if (tool?.readOnly === false) return callResults.written
  return observation.rows.length > 0 ? callResults.rows : callResults.empty
}
