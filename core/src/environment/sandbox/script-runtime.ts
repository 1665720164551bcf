import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from 'quickjs-emscripten'
import type { RandomState } from '../../determinism/random-stream.ts'
import { messageOf } from '../../errors/rlenv-error.ts'
import type { Json } from '../../vocabulary/json.ts'
import { isNestedDeeper } from '../tools/nesting.ts'
import { guestBounds } from './guest-bounds.ts'
import { guestDates } from './guest-dates.ts'
import { guestPrelude } from './guest-prelude.ts'
import { answerWithText } from './host-text.ts'
import { InterruptPace } from './interrupt-pace.ts'
import { checkMemory, isOvergrown, type SandboxModule, sandboxModule } from './quickjs-module.ts'
import { stripTypes } from './script-source.ts'

export interface ScriptLimits {
  /** Largest single allocation. All scripts of a module together stay below 128 MB. */
  readonly allocationBytes: number
  readonly stackBytes: number
  /** Longest run of one call, in milliseconds of wall-clock time. */
  readonly deadlineMs: number
  /** Most promise reactions of one call. */
  readonly jobs: number
}

export const defaultScriptLimits: ScriptLimits = {
  allocationBytes: 16 * 1024 * 1024,
  stackBytes: 256 * 1024,
  deadlineMs: 1_000,
  jobs: 1_000,
}

/** What came of one call of a script. */
export type ScriptOutcome =
  | { readonly kind: 'value'; readonly value: Json }
  | {
      readonly kind: 'error'
      readonly message: string
      readonly stack: string
      /** Code of a ToolError, which a script throws on purpose; null for any other error. */
      readonly code: string | null
    }
  | { readonly kind: 'timeout'; readonly message: string }

/** Answers a script's request with JSON text. Must not throw. */
export type HostAnswer = (request: string) => string

export interface ScriptCall {
  readonly file: string
  /** TypeScript with a default export that is a function. */
  readonly source: string
  readonly role: 'tool' | 'verifier'
  readonly input: Json
  /** Start of the script's random numbers; asked for when it draws its first. */
  readonly random: () => RandomState
  readonly answer: HostAnswer
}

/** Thrown inside the host only, to leave a call with an outcome. */
class ScriptStopped extends Error {
  readonly outcome: ScriptOutcome

  constructor(outcome: ScriptOutcome) {
    super(outcome.kind)
    this.outcome = outcome
  }
}

type GuestFunction = 'tool' | 'verifier' | 'describe'

/** Levels of lists and objects that may pass into a script or out of it. */
const deepestJson = 200

const tooDeep = (what: string): string => `${what} is nested in more than ${deepestJson} levels`

const failure = (message: string): ScriptOutcome => ({ kind: 'error', message, stack: '', code: null })

/**
 * One QuickJS runtime: no host objects, frozen time, bounded memory, stack and time. Scripts see the world only through
 * the requests that {@link ScriptCall.answer} answers.
 */
export class ScriptRuntime {
  readonly #limits: ScriptLimits
  readonly #module: SandboxModule
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  readonly #pace: InterruptPace
  readonly #guest = new Map<GuestFunction, QuickJSHandle>()
  readonly #scripts = new Map<string, QuickJSHandle>()
  #call: ScriptCall | null = null
  /** What the host itself runs in the sandbox takes the time that it takes. */
  #deadline = Number.POSITIVE_INFINITY
  #interrupted = false
  #disposed = false

  /** @throws {RlenvError} RLENV_SCRIPT_FAILED when the sandbox is not loaded. */
  constructor(clock: string, limits: ScriptLimits = defaultScriptLimits) {
    this.#limits = limits
    this.#module = sandboxModule()
    this.#runtime = this.#module.quickjs.newRuntime()
    this.#runtime.setMemoryLimit(limits.allocationBytes)
    this.#runtime.setMaxStackSize(limits.stackBytes)
    this.#runtime.setInterruptHandler(() => this.#isInterrupted())
    this.#context = this.#runtime.newContext()
    this.#pace = new InterruptPace(this.#module.memory, this.#context)
    this.#prepare(Date.parse(clock))
  }

  /** False when its module was broken, by this runtime or another one; then only a new runtime can go on. */
  get sound(): boolean {
    return this.#module.sound && !this.#disposed
  }

  /** Runs a script's default export. Never throws. */
  call(request: ScriptCall): ScriptOutcome {
    this.#call = request
    if (isNestedDeeper(request.input, deepestJson)) return failure(tooDeep('its input'))
    let code: string
    try {
      code = stripTypes(request.source, request.file)
    } catch (thrown) {
      return failure(messageOf(thrown))
    }
    this.#start()
    try {
      const script = this.#load(request.file, code)
      return this.#run(script, request)
    } catch (thrown) {
      if (thrown instanceof ScriptStopped) return thrown.outcome
      // A host exception passed through WebAssembly frames: nothing in this module can be trusted any more.
      this.#module.sound = false
      return failure(`the script broke its sandbox: ${messageOf(thrown)}`)
    } finally {
      checkMemory(this.#module)
    }
  }

  /** Frees everything; a runtime of a broken module is left to the garbage collector with it. */
  dispose(): void {
    if (!this.sound) return
    this.#disposed = true
    try {
      for (const handle of [...this.#guest.values(), ...this.#scripts.values()]) handle.dispose()
      this.#context.dispose()
      this.#runtime.dispose()
    } catch {
      this.#module.sound = false
    }
  }

  #start(): void {
    this.#interrupted = false
    this.#deadline = performance.now() + this.#limits.deadlineMs
    this.#pace.soon()
  }

  /** What unwinds may run code of the script again: functions that return an iterator, for example. */
  #isInterrupted(): boolean {
    const late = this.#isLate()
    this.#pace.asked()
    if (late) this.#pace.atOnce()
    else this.#pace.soon()
    return late
  }

  #isLate(): boolean {
    if (performance.now() > this.#deadline) this.#interrupted = true
    return this.#interrupted
  }

  #prepare(now: number): void {
    const context = this.#context
    const ask = context.newFunction('ask', () => context.undefined)
    answerWithText(context, (text) => this.#answer(text))
    const prelude = context.unwrapResult(context.evalCode(guestPrelude, 'prelude.js'))
    const instant = context.newNumber(now)
    const guest = context.unwrapResult(context.callFunction(prelude, context.undefined, ask, instant))
    // Afterwards, so that what carries every call does without the counting.
    const bounds = context.unwrapResult(context.evalCode(guestBounds, 'bounds.js'))
    context.unwrapResult(context.callFunction(bounds, context.undefined, ask)).dispose()
    for (const name of ['tool', 'verifier', 'describe'] as const) {
      this.#guest.set(name, context.getProp(guest, name))
    }
    for (const handle of [bounds, prelude, ask, instant, guest]) handle.dispose()
  }

  #answer(request: string): string {
    if (request === 'late') return this.#isLate() ? request : ''
    if (request === 'dates') return guestDates
    const call = this.#call as ScriptCall
    return request === 'seed' ? JSON.stringify(call.random()) : call.answer(request)
  }

  #load(file: string, code: string): QuickJSHandle {
    const known = this.#scripts.get(file)
    if (known !== undefined) return known
    const namespace = this.#settled(this.#unwrap(this.#context.evalCode(code, file, { type: 'module' })))
    const script = this.#context.getProp(namespace, 'default')
    namespace.dispose()
    if (this.#context.typeof(script) !== 'function') {
      script.dispose()
      throw new ScriptStopped(failure(`${file} has no default export that is a function`))
    }
    this.#scripts.set(file, script)
    return script
  }

  #run(script: QuickJSHandle, { role, input }: ScriptCall): ScriptOutcome {
    const context = this.#context
    const text = context.newString(JSON.stringify(input))
    const returned = context.callFunction(this.#guestFunction(role), context.undefined, script, text)
    text.dispose()
    const json = this.#settled(this.#unwrap(returned))
    const value = JSON.parse(context.getString(json)) as Json
    json.dispose()
    return isNestedDeeper(value, deepestJson) ? failure(tooDeep('its result')) : { kind: 'value', value }
  }

  #guestFunction(name: GuestFunction): QuickJSHandle {
    return this.#guest.get(name) as QuickJSHandle
  }

  /** The value of a promise after its reactions ran; any other value as it is. Takes the handle over. */
  #settled(handle: QuickJSHandle): QuickJSHandle {
    if (this.#context.typeof(handle) === 'string') return handle
    let state = this.#context.getPromiseState(handle)
    if (state.type === 'fulfilled' && state.notAPromise) return handle
    for (let jobs = 0; state.type === 'pending'; jobs++) {
      if (!this.#runtime.hasPendingJob() || jobs >= this.#limits.jobs) {
        handle.dispose()
        throw new ScriptStopped({ kind: 'timeout', message: 'its promise never settles' })
      }
      this.#runOneJob()
      state = this.#context.getPromiseState(handle)
    }
    handle.dispose()
    if (state.type === 'rejected') throw this.#stopped(state.error)
    return state.value
  }

  #runOneJob(): void {
    const ran = this.#runtime.executePendingJobs(1)
    if (ran.error !== undefined) throw this.#stopped(ran.error)
  }

  #unwrap(result: { value: QuickJSHandle; error?: undefined } | { error: QuickJSHandle }): QuickJSHandle {
    if (result.error !== undefined) throw this.#stopped(result.error)
    return result.value
  }

  /** The outcome for something a script threw. Takes the handle over. */
  #stopped(error: QuickJSHandle): ScriptStopped {
    if (this.#interrupted) {
      error.dispose()
      return new ScriptStopped({ kind: 'timeout', message: `it ran for more than ${this.#limits.deadlineMs} ms` })
    }
    // The engine throws null when there is no memory left for an error.
    if (isOvergrown(this.#module) && this.#context.sameValue(error, this.#context.null)) {
      error.dispose()
      return new ScriptStopped(failure('out of memory'))
    }
    const described = this.#context.callFunction(this.#guestFunction('describe'), this.#context.undefined, error)
    error.dispose()
    if (described.error !== undefined) {
      described.error.dispose()
      return new ScriptStopped(failure('it threw something that cannot be described'))
    }
    const {
      name,
      message,
      stack = '',
      code,
      tool,
    } = JSON.parse(this.#context.getString(described.value)) as Record<string, unknown>
    described.value.dispose()
    return new ScriptStopped({
      kind: 'error',
      message: `${name}: ${message}`,
      stack: String(stack),
      code: tool === true ? String(code) : null,
    })
  }
}
