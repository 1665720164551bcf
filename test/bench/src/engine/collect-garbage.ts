import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Collects garbage twice, so that what a first collection finalised is gone as well. Figures of memory are taken after it. */
export function collectGarbage(): void {
  collect()
  collect()
}
