import type { Ended, Project } from './project.ts'

/**
 * Runs a shell command while a folder of the project is a disk of its own: small, or one that nobody may write to.
 * The disk is seen by this command alone; what it holds afterwards is copied to `<folder>.kept`.
 *
 * @param options - of the mount: "size=1m", "ro".
 */
export function onOwnDisk(project: Project, folder: string, options: string, command: string): Promise<Ended> {
  const script = [
    `mkdir -p ${folder}`,
    `mount -t tmpfs -o ${options} tmpfs ${folder}`,
    `${command}; code=$?`,
    `cp -R ${folder} ${folder}.kept`,
    'exit $code',
  ].join('\n')
  return project.run('unshare', ['--user', '--map-root-user', '--mount', '/bin/sh', '-c', script])
}

/** Whether this machine lets a process have mounts of its own. */
export async function ownDisksWork(project: Project): Promise<boolean> {
  try {
    const { code } = await onOwnDisk(project, 'probe', 'size=1m', 'true')
    return code === 0
  } catch (cause) {
    if (Reflect.get(Object(cause), 'code') === 'ENOENT') return false
    throw cause
  }
}

/** Runs a shell command in which no file may grow beyond this size; any system does that, without a disk of its own. */
export function withFileLimit(project: Project, kibibytes: number, command: string): Promise<Ended> {
  return project.run('/bin/bash', ['-c', `ulimit -f ${kibibytes}\n${command}`])
}
