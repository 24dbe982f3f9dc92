import { expect, test } from 'vitest'
import { choosePackageManager, findVersion, withPackageManager } from './package-manager.ts'

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

test('the given package manager wins over the caller', () => {
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

test('the version of the package manager is that of the caller', async () => {
  expect(await findVersion('yarn', 'yarn/4.18.1 npm/? node/v24.21.0 linux x64')).toBe('4.18.1')
  expect(await findVersion('bun', 'bun/1.4.5-canary.1 npm/? node/v24.3.0 linux x64')).toBe('1.4.5-canary.1')
})

test('the version of another package manager is that of the installed one', async () => {
  expect(await findVersion('npm', 'pnpm/12.21.0 npm/? node/v24.21.0 linux x64')).toMatch(/^\d+\.\d+\.\d+$/)
})

test('package.json names the package manager before its dependencies', () => {
  expect(withPackageManager('{"name":"x","version":"0.1.0","dependencies":{}}', 'pnpm', '12.21.0')).toBe(
    [
      '{',
      '  "name": "x",',
      '  "version": "0.1.0",',
      '  "packageManager": "pnpm@12.21.0",',
      '  "dependencies": {}',
      '}\n',
    ].join('\n'),
  )
})
