import { pipelineOf, tinyPlugin } from 'rlenv/testing'
import { onTestFinished } from 'vitest'
import { ExecutableWorld } from '../../../src/environment/executable-world.ts'
import { sectionLimits } from '../../../src/rollout/shards/hang-detector.ts'
import { ShardMarks } from '../../../src/rollout/shards/shard-marks.ts'
import { type OpenWorker, SessionWorker } from '../../../src/serving/workers/session-worker.ts'
import { WorkerHost } from '../../../src/serving/workers/worker-host.ts'
import type { FromWorker, ToWorker } from '../../../src/serving/workers/worker-messages.ts'

const limits = { toolTimeoutMs: 30_000, verifierTimeoutMs: 30_000, turnTimeoutMs: 30_000 }
const setup = {
  recipe: {},
  seed: 0,
  verifierTimeoutMs: limits.verifierTimeoutMs,
  limits,
  sectionLimits: sectionLimits(limits),
  memoryMib: 1_000,
}

/** Both ends of a worker in this thread: what it is told and what it answers are copied as between processes. */
export interface Loopback {
  readonly worker: SessionWorker
  /** Everything that the worker was told. */
  readonly told: readonly ToWorker[]
}

/** Resolves when it can work. */
export function loopbackWorker(): Promise<Loopback> {
  const told: ToWorker[] = []
  const open: OpenWorker = (_module, sent, listener) => {
    const host = hostedHere((message) => listener.message(message))
    const post = (message: ToWorker) => {
      told.push(message)
      host.take(structuredClone(message))
    }
    post({ kind: 'setup', ...sent })
    return { post, over: host.over, setBusy: () => undefined, kill: async () => true }
  }
  return new Promise((resolve, reject) => {
    const ready = (worker: SessionWorker) => resolve({ worker, told })
    const worker = new SessionWorker(setup, { ready, lost: reject, failed: reject, log: () => undefined }, open)
    onTestFinished(() => worker.stop(1_000))
  })
}

/** A worker from the inside, with the executable world and the tiny verifiers. */
function hostedHere(heard: (message: FromWorker) => void) {
  let take: (message: ToWorker) => void = () => undefined
  let exit: () => void = () => undefined
  const over = new Promise<void>((resolve) => {
    exit = resolve
  })
  const marks = new ShardMarks()
  const channel = {
    send: (message: FromWorker) => heard(structuredClone(message)),
    listen: (listener: typeof take) => {
      take = listener
    },
  }
  new WorkerHost({ channel, marks: async () => marks, exit }, async () => {
    const world = new ExecutableWorld()
    return { pipeline: await pipelineOf(tinyPlugin()), world, close: async () => world.close() }
  }).serve()
  return { take, over }
}
