import { RlenvError } from '../../errors/rlenv-error.ts'
import type { Hang } from '../../rollout/shards/hang-detector.ts'
import type { LinkEnd } from '../../rollout/shards/shard-link.ts'
import type { Mark } from '../../rollout/shards/shard-marks.ts'

/** Why a worker process is no more. */
export type WorkerLoss = Hang | LinkEnd

/**
 * What whoever asks about a world of a lost worker is told: the session at fault what it did, the others that it was not
 * theirs. Names no tool of a stranger's session.
 */
export function worldLost(loss: WorkerLoss, world: number): RlenvError {
  const why = 'why' in loss ? reasonOfEnd(loss, world) : reasonOfHang(loss, world)
  return new RlenvError(`${why}; the world is lost, so reset the session or open another one`, {
    code: 'RLENV_WORLD_UNAVAILABLE',
    fix: 'Reset the session or open another one.',
  })
}

/** For the server's log. */
export function describeLoss(loss: WorkerLoss): string {
  const place = loss.mark === null || loss.mark.slot === 0 ? null : placeOf(loss.mark)
  if ('why' in loss) return place === null ? loss.why : `${loss.why} in ${place}`
  return `${place ?? 'something in it'} did not come back for ${loss.limitMs} ms`
}

function reasonOfEnd({ why, mark }: LinkEnd, world: number): string {
  const at = mark?.slot === world ? ` in ${placeOf(mark)}` : ''
  return `the process that held its world ended${at}: ${why}`
}

function reasonOfHang({ mark, limitMs }: Hang, world: number): string {
  if (mark.slot === world) return `${placeOf(mark)} did not come back within ${limitMs} ms and its process was ended`
  return `the process that held its world was ended because ${strangerIn(mark)} did not come back within ${limitMs} ms`
}

function strangerIn({ slot, section }: Mark): string {
  if (slot === 0) return 'something in it'
  return section === 'verifier' ? 'the verifier of another session' : 'a call of another session'
}

function placeOf({ section, name }: Mark): string {
  if (section === 'tool') return `the tool ${name}`
  if (section === 'capture') return 'reading its state'
  return section === 'verifier' ? 'the verifier' : `the section ${section} of its world`
}
