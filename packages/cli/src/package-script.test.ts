import { expect, test } from 'vitest'
import { isInPackageScript } from './package-script.ts'

test.each([
  ["'connector'", 'serve', true],
  ['connector serve', 'serve', true],
  ['connector serve --port 1', 'serve', true],
  ['connector codegen && connector run', 'run', true],
  ['node_modules/.bin/connector run 2>&1 | tee log', 'run', true],
  ['connector serve & vitest run', 'serve', false],
  ['headrace dev', 'dev', true],
  ['connector run &', 'run', false],
  ['connector codegen && ./up.sh', 'serve', false],
  ['vitest run', 'serve', false],
  ['my-connector serve', 'serve', false],
  [undefined, 'serve', false],
])('in the script %j "connector %s" ends with its shell: %j', (npm_lifecycle_script, subcommand, expected) => {
  expect(isInPackageScript({ npm_lifecycle_script }, [subcommand, '--json'])).toBe(expected)
})
