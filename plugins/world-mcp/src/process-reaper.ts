import { type ChildProcess, spawn } from 'node:child_process'

/**
 * Reads process groups to watch (`+<id>`) and to forget (`-<id>`). When its input ends, for whatever reason, SIGKILL of
 * this process among them, it kills every group that is left.
 */
const script = `
groups=
while IFS= read -r line; do
  case $line in
    +*) groups="$groups \${line#+}" ;;
    -*) kept=
        for group in $groups; do [ "$group" = "\${line#-}" ] || kept="$kept $group"; done
        groups=$kept ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`

/** Kills process groups whose owner is gone: one small shell for all servers of a world. Not on Windows. */
export class ProcessReaper {
  readonly #log: (line: string) => void
  #shell: ChildProcess | null = null

  constructor(log: (line: string) => void) {
    this.#log = log
  }

  watch(group: number): void {
    if (process.platform !== 'win32') this.#tell(`+${group}\n`)
  }

  forget(group: number): void {
    if (this.#shell !== null) this.#tell(`-${group}\n`)
  }

  /** What is still watched is killed. */
  close(): void {
    this.#shell?.stdin?.end()
    this.#shell = null
  }

  #tell(line: string): void {
    this.#shell ??= this.#start()
    this.#shell.stdin?.write(line)
  }

  #start(): ChildProcess {
    // A group of its own: Ctrl-C in a terminal must not end it before its time.
    const shell = spawn('sh', ['-c', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'], env: {} })
    const lost = (cause: Error) => {
      this.#log(`servers may outlive a run that is killed, for their watcher does not run: ${cause.message}`)
    }
    shell.on('error', lost)
    shell.stdin?.on('error', lost)
    shell.unref()
    if (shell.stdin !== null && 'unref' in shell.stdin) (shell.stdin as { unref(): void }).unref()
    return shell
  }
}
