// Preloaded into `rlenv train`. Every change that the run makes to its folder is a moment at which it could be killed,
// and so is the middle of every write. `MOMENTS` is a folder that gets a copy of the run's folder at each moment: what a
// killed process leaves behind is what the system holds of its files then. `KILL_AT` is the moment of a real kill.
import { appendFileSync, cpSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'

const { MOMENTS: copies, KILL_AT: killAt } = process.env
const original = { ...promises }
/** Paths of open files. */
const paths = new WeakMap()
let moments = 0

/** The folder of the training run that a path lies in; what only waits on the disk is gone when a run goes on. */
const runOf = (path) => /^.*\/outputs\/train\/[^/]+(?=\/(?!spilled))/.exec(String(path))?.[0]

function moment(what, path) {
  const run = runOf(path)
  if (run === undefined) return
  moments += 1
  if (moments === Number(killAt)) process.kill(process.pid, 'SIGKILL')
  if (copies === undefined) return
  const filter = (source) => source !== join(run, 'spilled')
  cpSync(run, join(copies, String(moments)), { recursive: true, verbatimSymlinks: true, filter })
  appendFileSync(
    join(copies, 'moments.jsonl'),
    `${JSON.stringify({ what, path: String(path).slice(run.length + 1) })}\n`,
  )
}

/** Both halves of something that is written; the first one is torn off when a kill comes between. */
function halves(data) {
  const bytes = Buffer.from(data)
  const middle = bytes.length >> 1
  return [bytes.subarray(0, middle), bytes.subarray(middle)]
}

for (const name of ['symlink', 'rename']) {
  promises[name] = (from, to) => {
    moment(name, to)
    return original[name](from, to)
  }
}

/** A folder goes file by file. */
promises.rm = async (path, options) => {
  moment('rm', path)
  const names = options?.recursive === true ? await original.readdir(path).catch(() => []) : []
  if (names.length > 0) {
    await original.rm(join(path, names[0]), options)
    moment('rm half', path)
  }
  await original.rm(path, options)
}

promises.writeFile = async (path, data, options) => {
  if (runOf(path) === undefined) return original.writeFile(path, data, options)
  const [first, rest] = halves(data)
  moment('create', path)
  await original.writeFile(path, first, options)
  moment('write half', path)
  await original.appendFile(path, rest, { flush: true })
}

promises.open = async (path, ...rest) => {
  moment('open', path)
  const handle = await original.open(path, ...rest)
  paths.set(handle, path)
  return handle
}

const probe = await original.open(process.execPath)
const handles = Object.getPrototypeOf(probe)
await probe.close()
for (const name of ['appendFile', 'writeFile']) {
  const write = handles[name]
  handles[name] = async function (data, ...rest) {
    if (runOf(paths.get(this)) === undefined) return write.call(this, data, ...rest)
    const [first, second] = halves(data)
    moment('append', paths.get(this))
    await write.call(this, first, ...rest)
    moment('append half', paths.get(this))
    await write.call(this, second, ...rest)
  }
}
syncBuiltinESMExports()
