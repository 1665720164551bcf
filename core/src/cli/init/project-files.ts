/** Presets that `rlenv init` knows, with the package that each comes from. */
const presets = {
  arena: '@rlenv/preset-arena',
  awm: '@rlenv/preset-awm',
} as const

export type PresetName = keyof typeof presets

export const presetNames = Object.keys(presets) as readonly PresetName[]

export interface ProjectAnswers {
  readonly preset: PresetName
  readonly name: string
  readonly environments: number
  readonly seed: number
}

export interface ProjectFile {
  readonly path: string
  readonly text: string
  /** Whether an existing one stays as it is without being an error. */
  readonly optional: boolean
}

/** The files of a new project: configuration, package, compiler settings, and what git shall not keep. */
export function projectFiles(answers: ProjectAnswers, version: string): readonly ProjectFile[] {
  return [
    { path: 'rlenv.config.ts', text: configText(answers), optional: false },
    { path: 'package.json', text: packageText(answers, version), optional: true },
    { path: 'tsconfig.json', text: compilerText, optional: true },
    { path: '.gitignore', text: 'node_modules/\n.rlenv/\noutputs/\nenvironments/\n', optional: true },
  ]
}

function configText({ preset, name, environments, seed }: ProjectAnswers): string {
  return `import { ${preset} } from '${presets[preset]}'
import { defineConfig } from 'rlenv'

export default defineConfig({
  name: ${JSON.stringify(name)},
  extends: ${preset}({ environments: ${environments} }),
  // A plugin listed here replaces the preset's plugin on the same hook point.
  plugins: [],
  evaluation: { heldOutShare: 0.3 },
  training: { steps: 50, tasksPerStep: 16, rolloutsPerTask: 8, optimizerStepsPerStep: 4, maxRefills: 0 },
  output: { tracesEverySteps: 10 },
  seed: ${seed},
})
`
}

function packageText({ preset, name }: ProjectAnswers, version: string): string {
  const dependencies = { [presets[preset]]: `^${version}`, rlenv: `^${version}` }
  return `${JSON.stringify({ name: packageName(name), private: true, type: 'module', dependencies }, null, 2)}\n`
}

/** A name that npm accepts. */
function packageName(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return plain === '' ? 'rlenv-run' : plain
}

const compilerText = `${JSON.stringify(
  {
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      noEmit: true,
      allowImportingTsExtensions: true,
    },
    include: ['*.ts'],
  },
  null,
  2,
)}\n`
