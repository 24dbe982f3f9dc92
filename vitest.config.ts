import { defineConfig } from 'vitest/config'

const conditions = ['@headrace/source']
const shared = { testTimeout: 60_000, hookTimeout: 120_000 }

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      { extends: true, test: { ...shared, name: 'unit', include: ['packages/*/src/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          ...shared,
          name: 'integration',
          include: ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts'],
          globalSetup: ['scripts/kafka/vitest-setup.ts'],
        },
      },
    ],
  },
})
