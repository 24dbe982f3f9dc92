import { expect, test } from 'vitest'
import { installCommands, packageManagerFiles } from './package-manager.ts'

test('a globally installed package manager has the version that made the project', () => {
  expect(installCommands('pnpm', '12.21.0').everything).toMatch(/^npm install --global pnpm@12\.21\.0 && /)
  expect(installCommands('bun', '1.4.5').production).toMatch(/^npm install --global bun@1\.4\.5 && /)
  expect(installCommands('bun', undefined).production).toMatch(/^npm install --global bun && /)
})

test('Yarn 1 gets its own commands, and no files of later versions', () => {
  expect(installCommands('yarn', '1.22.22').production).toBe(
    'corepack enable && yarn install --frozen-lockfile --production',
  )
  expect(packageManagerFiles('yarn', '1.22.22')).toEqual([])
})

test.each(['4.18.1', undefined])('Yarn %s installs into node_modules', (version) => {
  expect(installCommands('yarn', version).production).toBe('corepack enable && yarn workspaces focus --production')
  expect(packageManagerFiles('yarn', version)).toContainEqual({
    path: '.yarnrc.yml',
    content: 'nodeLinker: node-modules\n',
  })
})
