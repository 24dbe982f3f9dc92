import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { userVariables } from './scaffold-process.ts'

const folder = fileURLToPath(new URL('..', import.meta.url))
const maxBytes = 2_000_000

test('the download before the first question is small: the published package and commander', async () => {
  const { stdout } = await execa('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: folder,
    env: userVariables(),
    extendEnv: false,
  })
  const printed = JSON.parse(stdout)
  const [packed] = Array.isArray(printed) ? printed : Object.values(printed)
  expect(Object.keys(manifest.dependencies)).toEqual(['commander'])
  expect(packed.unpackedSize + (await sizeOf(join(folder, 'node_modules/commander')))).toBeLessThan(maxBytes)
  const paths: string[] = packed.files.map(({ path }: { path: string }) => path)
  expect(paths).toEqual(
    expect.arrayContaining(['bin/create-connector.js', 'dist/main.js', 'dist/index.d.ts', 'dist/LICENSES.txt']),
  )
  expect(paths).toContain('templates/blank/template.json')
})

test('the package contains the licences of bundled packages, except for those of this repository', async () => {
  const text = await readFile(join(folder, 'dist/LICENSES.txt'), 'utf8')
  const names = [...text.matchAll(/^(\S+) \d+\.\d+\.\d+$/gm)].map(([, name]) => name)
  expect(names).toEqual(expect.arrayContaining(['@inquirer/core', 'ethers', 'execa', 'validate-npm-package-name']))
  expect(names.filter((name) => name?.startsWith('@headrace/'))).toEqual([])
})

async function sizeOf(dir: string): Promise<number> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
