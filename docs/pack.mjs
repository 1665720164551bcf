// Packs every published package into tarballs/, to install them elsewhere before they are on npm.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const target = join(root, 'tarballs')
const folders = [
  'core',
  ...['plugins', 'presets'].flatMap((group) => readdirSync(join(root, group)).map((name) => `${group}/${name}`)),
]
const published = folders.filter(
  (folder) => !JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).private,
)

rmSync(target, { recursive: true, force: true })
mkdirSync(target)
const workspaces = published.flatMap((folder) => ['--workspace', folder])
execFileSync('npm', ['pack', '--silent', '--pack-destination', target, ...workspaces], { cwd: root, stdio: 'inherit' })
