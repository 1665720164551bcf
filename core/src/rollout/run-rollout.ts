import type { Clock } from '../determinism/clock.ts'
import { messageOf } from '../errors/rlenv-error.ts'
import type { RolloutRequest, RolloutResult } from '../hooks/roles.ts'
import type { WorldInstance } from '../hooks/world.ts'
import type { StopReason } from '../vocabulary/outcome.ts'
import { type BoundedDiff, boundedDiff, changedRows } from './bounded-diff.ts'
import { attempt, isPromise } from './deadline.ts'
import { faultCodes } from './fault-codes.ts'
import { RolloutRecord } from './rollout-record.ts'
import { type LoopOptions, TurnLoop } from './turn-loop.ts'

/**
 * Plays one attempt at a task: opens the world, runs the turn loop, and writes the trajectory. Whatever a policy or a
 * world does ends up in the stop reason; the world stays open for the verifier.
 */
export async function runRollout(request: RolloutRequest, options: LoopOptions, clock: Clock): Promise<RolloutResult> {
  const record = new RolloutRecord()
  const opened = await openWorld(request, clock)
  if ('stop' in opened) return { trajectory: record.trajectory(request, opened.stop, unchanged), world: null }
  const stop = await new TurnLoop(request, opened.world, record, options, clock).play()
  const changes = await finalChanges(request, opened.world, record, clock)
  return { trajectory: record.trajectory(request, stop, changes), world: opened.world }
}

const unchanged: BoundedDiff = { diff: [] }

async function openWorld(
  request: RolloutRequest,
  clock: Clock,
): Promise<{ readonly world: WorldInstance } | { readonly stop: StopReason }> {
  const { world, environment, draw, limits, signal } = request
  if (signal.aborted) return { stop: { kind: 'cancelled', message: 'cancelled before it began' } }
  const ms = Math.min(limits.toolTimeoutMs, limits.rolloutTimeoutMs)
  const opened = attempt(() => world.open({ environment, seed: draw.seed }, signal), ms, signal, clock)
  const settled = isPromise(opened) ? await opened : opened
  switch (settled.kind) {
    case 'value':
      return { world: settled.value }
    case 'aborted':
      return { stop: { kind: 'cancelled', message: 'cancelled while the world opened' } }
    case 'timeout':
      return fault(faultCodes.worldOpenTimeout, `world ${world.name} did not open ${environment.id} within ${ms} ms`)
    case 'failed':
      return fault(
        faultCodes.worldOpenFailed,
        `world ${world.name} did not open ${environment.id}: ${messageOf(settled.cause)}`,
      )
  }
}

const fault = (code: string, message: string): { readonly stop: StopReason } => {
  return { stop: { kind: 'faulted', in: 'environment', code, message } }
}

/**
 * Initial to final state. Nothing has to be compared when no call wrote anything; a timed-out call may have. Where the
 * state cannot be captured the calls' own changes stand; the verifier captures it as well, and there a failure counts.
 */
async function finalChanges(
  request: RolloutRequest,
  world: WorldInstance,
  record: RolloutRecord,
  clock: Clock,
): Promise<BoundedDiff> {
  const calls = record.turns.flatMap((turn) => turn.calls)
  const writes = calls.filter((call) => changedRows(call) > 0)
  const unsure = calls.some((call) => !call.result.ok && call.result.error.kind === 'timeout')
  if (!unsure && writes.length <= 1) return changesOf(writes)
  const { limits, signal } = request
  const capturing = attempt(() => world.capture(), limits.toolTimeoutMs, signal, clock)
  const captured = isPromise(capturing) ? await capturing : capturing
  const state = captured.kind === 'value' ? captured.value : null
  return state === null ? changesOf(writes) : boundedDiff(state.diff)
}

/** What calls changed, one after the other. */
function changesOf(calls: readonly BoundedDiff[]): BoundedDiff {
  const diff = calls.flatMap((call) => call.diff)
  return boundedDiff(
    diff,
    calls.reduce((sum, call) => sum + (call.omittedChanges ?? 0), 0),
  )
}
