import type { QuickJSWASMModule } from 'quickjs-emscripten'
import { RlenvError } from '../../errors/rlenv-error.ts'
import type { WasmMemory } from './interrupt-pace.ts'

interface WasmGlobal {
  readonly WebAssembly: {
    readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => WasmMemory
  }
}

/** One WebAssembly module; many runtimes live in it until something breaks it. */
export interface SandboxModule {
  readonly quickjs: QuickJSWASMModule
  readonly memory: WasmMemory
  /** False once a host exception passed through it: its stack pointer cannot be trusted any more. */
  sound: boolean
  /** Runtimes made in it. */
  runtimes: number
}

/** WebAssembly memory never shrinks, so a module is replaced after this many runtimes. */
const mostRuntimes = 500

const pageBytes = 65_536

/** Bounds what the scripts of one module hold together: the runtime's own limit only sees single allocations. */
const mostMemoryBytes = 128 * 1024 * 1024

/** A module that has grown beyond this is given up after the call, for it cannot shrink and others would starve in it. */
const grownMemoryBytes = 64 * 1024 * 1024

/** Modules are made asynchronously, calls are not: this many can break in one turn of the event loop. */
const mostSpares = 3

let current: SandboxModule | undefined
const spares: SandboxModule[] = []
let refill: Promise<void> | undefined

async function newModule(): Promise<SandboxModule> {
  const { newQuickJSWASMModule, newVariant, RELEASE_SYNC } = await import('quickjs-emscripten')
  const initial = (16 * 1024 * 1024) / pageBytes
  const memory = new (globalThis as unknown as WasmGlobal).WebAssembly.Memory({
    initial,
    maximum: mostMemoryBytes / pageBytes,
  })
  const quickjs = await newQuickJSWASMModule(newVariant(RELEASE_SYNC, { wasmMemory: memory }))
  return { quickjs, memory, sound: true, runtimes: 0 }
}

/** Whether a call has made a module grow too large. */
export function isOvergrown({ memory }: SandboxModule): boolean {
  return memory.buffer.byteLength > grownMemoryBytes
}

/** Gives a module up that has grown too large. */
export function checkMemory(module: SandboxModule): void {
  if (isOvergrown(module)) module.sound = false
}

async function fill(): Promise<void> {
  current ??= await newModule()
  while (spares.length < mostSpares) spares.push(await newModule())
  refill = undefined
}

/** Makes script tools and script verifiers runnable. Must be awaited before an environment with scripts is used. */
export function loadSandbox(): Promise<void> {
  if (current !== undefined && spares.length === mostSpares) return Promise.resolve()
  refill ??= fill()
  return refill
}

/** A module to make a runtime in. @throws {RlenvError} RLENV_SCRIPT_FAILED when {@link loadSandbox} was not awaited. */
export function sandboxModule(): SandboxModule {
  if (current !== undefined && (!current.sound || current.runtimes >= mostRuntimes)) {
    current = spares.shift()
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
