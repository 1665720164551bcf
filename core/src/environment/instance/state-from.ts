import type { InstanceHost } from '../instance-host.ts'
import { CloneState } from './clone-state.ts'
import type { InstanceState, Snapshot } from './instance-state.ts'
import { ReplayState } from './replay-state.ts'

/** A state that begins as a snapshot says. */
export function stateFrom(host: InstanceHost, snapshot: Snapshot): InstanceState {
  const random = snapshot.random.copy()
  if (snapshot.kind === 'replay') return new ReplayState(host.image, host.hot, random, snapshot.log)
  return new CloneState(host.image, random, snapshot.bytes)
}
