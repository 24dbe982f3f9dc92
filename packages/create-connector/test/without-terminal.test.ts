import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandName, commands, startScaffold } from './scaffold-process.ts'

const gitUser = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'Ada Lovelace' }

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'create-connector-plain-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe.each(Object.keys(commands) as CommandName[])('%s', (name) => {
  test('asks nothing without a terminal, and uses the defaults', async () => {
    const { code, stdout, stderr } = await startScaffold(name, folder, ['--no-install'], gitUser).ended
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Made .* the template blank: \d+ files\.\n$/),
    })
    expect(stdout).toMatch(/^ {2}npm run dev$/m)
    expect(await readdir(folder)).toEqual(['my-connector'])
    const manifest = await readFile(join(folder, 'my-connector/manifest.yaml'), 'utf8')
    expect(manifest).toMatch(/^owner: ada-lovelace$/m)
    expect(manifest).toMatch(/^package: my-connector$/m)
    expect(manifest).toMatch(/^id: [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/m)
  })

  test('writes all files of the project except for generated code with --no-install', async () => {
    const args = ['demo', '--name', '@acme/quotes', '--package-manager', 'pnpm', '--no-install', '--json']
    const { code, stdout, stderr } = await startScaffold(name, folder, args).ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const summary = JSON.parse(stdout)
    expect(summary).toMatchObject({ dir: join(folder, 'demo'), name: '@acme/quotes', template: 'blank', steps: [] })
    expect(summary.next).toEqual([
      'cd demo',
      'pnpm install',
      'pnpm run codegen',
      'pnpm run typecheck',
      'pnpm run test',
      'pnpm run dev',
    ])
    const written = await readdir(join(folder, 'demo'), { recursive: true, withFileTypes: true })
    const files = written.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    expect(files.map((file) => file.slice(folder.length + 6)).sort()).toEqual([...summary.files].sort())
    expect(summary.files).toContain('src/connector.ts')
    expect(summary.files.filter((file: string) => file.startsWith('src/generated'))).toEqual([])
    expect(await readFile(join(folder, 'demo/manifest.yaml'), 'utf8')).toMatch(/^owner: acme$/m)
  })

  test('uses the package manager that started it', async () => {
    const { stdout } = await startScaffold(name, folder, ['demo', '--no-install'], {
      npm_config_user_agent: 'yarn/4.18.1 npm/? node/v24.21.0 linux x64',
    }).ended
    expect(stdout).toContain('yarn install')
    expect(await readFile(join(folder, 'demo/.yarnrc.yml'), 'utf8')).toBe('nodeLinker: node-modules\n')
  })

  test('fills the current folder if it is empty', async () => {
    const { ino } = await stat(folder)
    const { code, stdout } = await startScaffold(name, folder, ['.', '--name', 'demo', '--no-install']).ended
    expect(code).toBe(0)
    expect(stdout).not.toContain('cd ')
    expect((await stat(folder)).ino).toBe(ino)
    expect(await readdir(folder)).toContain('manifest.yaml')
  })
})

test('both names of the command make the same project, except for its id', async () => {
  const contents = await Promise.all(
    (Object.keys(commands) as CommandName[]).map(async (name) => {
      const args = [name.replace(' ', '-'), '--name', 'demo', '--no-install', '--json']
      const { stdout } = await startScaffold(name, folder, args).ended
      const { dir, files } = JSON.parse(stdout) as { dir: string; files: string[] }
      return Promise.all(
        files.map(async (file) => [
          file,
          (await readFile(join(dir, file), 'utf8')).replace(/^id: [0-9a-f-]{36}$/m, 'id: …'),
        ]),
      )
    }),
  )
  expect(contents[0]).toEqual(contents[1])
})
