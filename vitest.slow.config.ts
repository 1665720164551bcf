import { defineConfig, type TestProjectConfiguration } from 'vitest/config'

/** A suite of whole runs on the built packages: minutes, so it has a configuration of its own and `npm test` leaves it out. */
const slow = (name: string): TestProjectConfiguration => ({
  test: {
    name,
    root: `test/${name}`,
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/fixtures/**'],
    testTimeout: 180_000,
    hookTimeout: 1_200_000,
  },
})

const report = process.env.RLENV_TEST_REPORT

export default defineConfig({
  test: {
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
    projects: [slow('e2e'), slow('third-party'), slow('conformance')],
  },
})
