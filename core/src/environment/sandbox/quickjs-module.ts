import type { QuickJSWASMModule } from 'quickjs-emscripten'
import { RlenvError } from '../../errors/rlenv-error.ts'

/** One WebAssembly module; many runtimes live in it until something breaks it. */
export interface SandboxModule {
  readonly quickjs: QuickJSWASMModule
  /** False once a host exception passed through it: its stack pointer cannot be trusted any more. */
  sound: boolean
  /** Runtimes made in it. */
  runtimes: number
}

/** WebAssembly memory never shrinks, so a module is replaced after this many runtimes. */
const mostRuntimes = 500

let current: SandboxModule | undefined
let spare: SandboxModule | undefined
let refill: Promise<void> | undefined

async function newModule(): Promise<SandboxModule> {
  const { newQuickJSWASMModule, RELEASE_SYNC } = await import('quickjs-emscripten')
  return { quickjs: await newQuickJSWASMModule(RELEASE_SYNC), sound: true, runtimes: 0 }
}

async function fill(): Promise<void> {
  current ??= await newModule()
  spare ??= await newModule()
  refill = undefined
}

/** Makes script tools and script verifiers runnable. Must be awaited before an environment with scripts is used. */
export function loadSandbox(): Promise<void> {
  if (current !== undefined && spare !== undefined) return Promise.resolve()
  refill ??= fill()
  return refill
}

/** A module to make a runtime in. @throws {RlenvError} RLENV_SCRIPT_FAILED when {@link loadSandbox} was not awaited. */
export function sandboxModule(): SandboxModule {
  if (current !== undefined && (!current.sound || current.runtimes >= mostRuntimes)) {
    current = spare
    spare = undefined
    void loadSandbox()
  }
  if (current === undefined) {
    throw new RlenvError('the script sandbox is not loaded', {
      code: 'RLENV_SCRIPT_FAILED',
      fix: 'Await loadSandbox() before running an environment that has scripts.',
    })
  }
  current.runtimes++
  return current
}
