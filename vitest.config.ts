import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './packages/testbed/longest-first.ts'

const conditions = ['@headrace/source']
/** Where programs that tests start keep compiled modules, which saves a quarter of the time to start them. */
const compiled = mkdtempSync(join(tmpdir(), 'headrace-compiled-'))
process.once('exit', () => rmSync(compiled, { recursive: true, force: true }))
// A loaded machine takes its time: nothing that is waited for is given up sooner than its test.
const shared = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
  env: { NODE_COMPILE_CACHE: compiled },
}
const faults = '{packages,examples}/*/test/faults/**/*.test.ts'
/** `npm test` injects each kind of fault once: a killed process, a killed broker, cut connections, failing nodes. */
const mostFaults =
  '{packages,examples}/*/test/faults/!(kill-writer|broker-killed|proxy-writer|reconnect|failing-endpoints).test.ts'
const scaffold = 'packages/create-connector/test/scaffold/**/*.test.ts'
/** These replace modules, so they must not share them with other files. */
const replacesModules = 'packages/queue/test/faults/embedded-{damage,full-disk}.test.ts'
const servers = [
  'packages/testbed/kafka/vitest-setup.ts',
  'packages/testbed/faults/vitest-setup.ts',
  'packages/testbed/children/vitest-setup.ts',
  'packages/testbed/browser/vitest-setup.ts',
  'packages/testbed/chain/geth/vitest-setup.ts',
]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // Most tests wait for brokers and other processes, so more of them than there are cores may run at once.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: 'unit',
          include: [
            'packages/{*/src,testbed/simulation}/**/*.test.ts',
            'scripts/release/*.test.ts',
            'site/{source,.vitepress/theme/*}/*.test.ts',
          ],
          // Test files share the modules that they load, which takes longer than the tests.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'integration',
          include: ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts'],
          exclude: [scaffold, mostFaults],
          isolate: false,
          globalSetup: servers,
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'isolated',
          include: [replacesModules],
          globalSetup: 'packages/testbed/faults/vitest-setup.ts',
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'scaffold',
          include: [scaffold],
          // An install takes its time where the machine is loaded.
          testTimeout: 10 * 60_000,
          globalSetup: ['packages/testbed/registry/vitest-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'faults',
          include: [faults],
          // What takes seconds once takes minutes here.
          testTimeout: 30 * 60_000,
          // More of them would take from each other the time that a broken broker or a killed process needs to return.
          maxWorkers: 2,
          globalSetup: servers,
        },
      },
    ],
  },
})
