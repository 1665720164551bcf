/**
 * The layers of core, lowest first. A folder may import itself, its band (where `together` is set) and every band below.
 * A folder of core/src that is not listed here is an error, so a new folder starts with a decision about its place.
 */
const bands = [
  { folders: ['vocabulary'] },
  { folders: ['errors', 'determinism', 'telemetry'] },
  { folders: ['hooks', 'plugin', 'artifacts'], together: true },
  { folders: ['config', 'environment', 'models'] },
  { folders: ['synthesis', 'rollout', 'reward', 'runs'], together: true },
  { folders: ['pipeline'] },
  { folders: ['training', 'evaluation'], together: true, beside: 'serving' },
  { folders: ['serving'], beside: 'training' },
  { folders: ['ablation'] },
  { folders: ['testing'] },
  { folders: ['cli'] },
]

const anyOf = (names) => `(${names.join('|')})`
const layers = bands.flatMap((band) => band.folders)

function layerRule(folder) {
  const level = bands.findIndex((band) => band.folders.includes(folder))
  const band = bands[level]
  const below = bands.slice(0, level).flatMap((lower) => (band.folders.includes(lower.beside) ? [] : lower.folders))
  const beside = bands.flatMap((other) => (other.beside && other.folders.includes(band.beside) ? other.folders : []))
  const allowed = [folder, ...(band.together ? band.folders : []), ...below].filter((name) => !beside.includes(name))
  return {
    name: `layer-${folder}`,
    severity: 'error',
    comment: `core/src/${folder} may import ${allowed.join(', ')}`,
    from: { path: `^core/src/${folder}/` },
    to: { path: '^core/src/', pathNot: `^core/src/${anyOf(allowed)}/` },
  }
}

const workspace = '^(core|plugins|presets|examples|test)/'
const publicEntry = '^(core/src/index|core/src/testing/index|(plugins|presets)/[^/]+/src/index)[.]ts$'
const vagueName = '(^|/)(utils?|helpers?|commons?|types?|misc)([.][^/]+$|/)'

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'a cycle hides which of two modules is the lower one',
      from: {},
      to: { circular: true },
    },
    ...layers.map(layerRule),
    {
      name: 'layer-unknown',
      severity: 'error',
      comment: 'name the place of this folder in `bands` first',
      from: { path: '^core/src/', pathNot: `^core/src/(${anyOf(layers)}/|index[.]ts$)` },
      to: {},
    },
    {
      name: 'layer-unknown',
      severity: 'error',
      from: { path: '^core/src/', pathNot: `^core/src/(${anyOf(layers)}/|index[.]ts$)`, orphan: true },
      to: {},
    },
    {
      name: 'index-is-below-cli',
      severity: 'error',
      comment: 'the public API holds no command and no test kit',
      from: { path: '^core/src/index[.]ts$' },
      to: { path: '^core/src/(cli|testing)/' },
    },
    {
      name: 'plugins-import-rlenv-only',
      severity: 'error',
      comment: 'a plugin imports rlenv, rlenv/testing, npm packages and its own files, never another plugin',
      from: { path: '^plugins/([^/]+)/' },
      to: { path: workspace, pathNot: '^(plugins/$1/|core/src/index[.]ts$|core/src/testing/index[.]ts$)' },
    },
    {
      name: 'presets-compose-packages',
      severity: 'error',
      comment: 'a preset imports the entry points of rlenv and of plugins',
      from: { path: '^presets/([^/]+)/' },
      to: { path: workspace, pathNot: `^presets/$1/|${publicEntry}` },
    },
    {
      name: 'examples-and-tests-use-entry-points',
      severity: 'error',
      comment: 'examples and test/ see what a user sees',
      from: { path: '^(examples/[^/]+|test)/' },
      to: { path: workspace, pathNot: `^$1/|${publicEntry}` },
    },
    {
      name: 'package-names-only',
      severity: 'error',
      comment: 'another workspace package is imported by its name, never by a relative path',
      from: { path: '^(core|plugins/[^/]+|presets/[^/]+|examples/[^/]+|test)/' },
      to: { path: workspace, pathNot: '^$1/', dependencyTypes: ['local'] },
    },
    {
      name: 'core-imports-no-plugin',
      severity: 'error',
      comment: 'core knows hooks, never who fills them',
      from: { path: '^core/' },
      to: { path: '^(plugins|presets|examples|test)/' },
    },
    {
      name: 'source-imports-no-test',
      severity: 'error',
      from: { path: '^(core|plugins/[^/]+|presets/[^/]+)/src/' },
      to: { path: '^(core|plugins/[^/]+|presets/[^/]+)/test/' },
    },
    {
      name: 'no-vague-file-name',
      severity: 'error',
      comment: 'name a file after the thing it exports, not after the kind of thing',
      from: { path: vagueName },
      to: {},
    },
    {
      name: 'no-vague-file-name',
      severity: 'error',
      from: { path: vagueName, orphan: true },
      to: {},
    },
    {
      name: 'no-vague-file-name',
      severity: 'error',
      from: {},
      to: { path: vagueName, pathNot: 'node_modules' },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      comment: 'a module that cannot be found escapes every other rule',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|fixtures)/|^core/bin/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.source.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['rlenv-source', 'types', 'import', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
}
