import { defineConfig } from 'vitest/config'

const conditions = ['rlenv-source', 'node', 'module', 'import', 'default']
const fromSource = { resolve: { conditions }, ssr: { resolve: { conditions, externalConditions: conditions } } }

const packages = {
  core: 'core',
  blueprint: 'plugins/blueprint',
  'verifier-code': 'plugins/verifier-code',
  'shaper-ternary': 'plugins/shaper-ternary',
  'shaper-hybrid': 'plugins/shaper-hybrid',
  'sampler-uniform': 'plugins/sampler-uniform',
  'groups-filter': 'plugins/groups-filter',
  'algorithm-grpo': 'plugins/algorithm-grpo',
  'learner-embedded': 'plugins/learner-embedded',
  'preset-arena': 'presets/arena',
  'preset-awm': 'presets/awm',
}

export default defineConfig({
  test: {
    projects: Object.entries(packages).map(([name, root]) => ({
      ...fromSource,
      root,
      test: { name, root, include: ['test/**/*.test.ts'] },
    })),
  },
})
