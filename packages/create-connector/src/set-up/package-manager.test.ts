import { expect, test } from 'vitest'
import { choosePackageManager } from './package-manager.ts'

test.each([
  ['npm/11.6.2 node/v24.21.0 linux x64 workspaces/false', 'npm'],
  ['pnpm/10.20.0 npm/? node/v24.21.0 linux x64', 'pnpm'],
  ['yarn/4.10.3 npm/? node/v24.21.0 linux x64', 'yarn'],
  ['bun/1.3.1 npm/? node/v24.3.0 linux x64', 'bun'],
  ['cnpm/9 npm/? node/v24', 'npm'],
  ['', 'npm'],
  [undefined, 'npm'],
])('the caller %j gives %s', (userAgent, expected) => {
  expect(choosePackageManager(undefined, userAgent)).toBe(expected)
})

test('what is asked for goes before the caller', () => {
  expect(choosePackageManager('yarn', 'pnpm/10')).toBe('yarn')
})

test.each(['deno', '', 'NPM'])('%j is refused with those there are', (asked) => {
  expect(() => choosePackageManager(asked, undefined)).toThrow(
    expect.objectContaining({
      code: 'unknown_package_manager',
      message: expect.stringContaining('npm, pnpm, yarn, bun'),
    }),
  )
})
