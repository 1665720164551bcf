// Runs `rlenv resume <folder>` for one folder after the other, as the command line does, in one process.
import { run } from '@oclif/core'

const bin = new URL('../../core/bin/run.js', import.meta.url).href

for (const folder of process.argv.slice(2)) {
  await run(['resume', folder, '--json'], bin)
  if (process.exitCode !== undefined) throw new Error(`${folder} could not be resumed`)
}
