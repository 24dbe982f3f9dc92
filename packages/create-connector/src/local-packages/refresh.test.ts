import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Clone, isProjectOfClone, refreshPackages } from './local-package.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'create-connector-refresh-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** A clone with one package of the given content. */
async function cloneWith(content: string): Promise<Clone> {
  const file = join(folder, 'headrace-sdk-0.1.0.tgz')
  await writeFile(file, content)
  return { folder: join(folder, 'clone'), packages: [{ name: '@headrace/sdk', version: '0.1.0', file }] }
}

async function makeProject(): Promise<string> {
  const dir = join(folder, 'demo')
  await mkdir(join(dir, 'src'), { recursive: true })
  await writeFile(join(dir, 'src/connector.ts'), 'mine')
  const dependencies = { '@headrace/sdk': 'file:headrace-packages/headrace-sdk-0.1.0-00000000.tgz' }
  await writeFile(join(dir, 'package.json'), JSON.stringify({ name: 'demo', dependencies }))
  return dir
}

test('the packages of the clone replace those of the project', async () => {
  const dir = await makeProject()
  expect(await refreshPackages(dir, await cloneWith('first'))).toBe(true)
  const first = await readdir(join(dir, 'headrace-packages'))
  await writeFile(join(dir, 'headrace-packages/notes.txt'), 'mine')
  expect(await refreshPackages(dir, await cloneWith('second'))).toBe(true)
  const [second, notes] = await readdir(join(dir, 'headrace-packages'))
  expect(second).not.toBe(first[0])
  expect(notes).toBe('notes.txt')
  expect(await readFile(join(dir, 'headrace-packages', second!), 'utf8')).toBe('second')
  const manifest = JSON.parse(await readFile(join(dir, 'package.json'), 'utf8'))
  expect(manifest).toMatchObject({
    name: 'demo',
    dependencies: { '@headrace/sdk': `file:headrace-packages/${second}` },
  })
  expect((await readdir(dir)).sort()).toEqual(['headrace-packages', 'package.json', 'src'])
  expect(await readFile(join(dir, 'src/connector.ts'), 'utf8')).toBe('mine')
})

test('the same packages change nothing', async () => {
  const dir = await makeProject()
  await refreshPackages(dir, await cloneWith('first'))
  const before = await readFile(join(dir, 'package.json'), 'utf8')
  expect(await refreshPackages(dir, await cloneWith('first'))).toBe(false)
  expect(await readFile(join(dir, 'package.json'), 'utf8')).toBe(before)
  expect(await readdir(join(dir, 'headrace-packages'))).toHaveLength(1)
})

test('a project is recognised by its package.json', async () => {
  expect(await isProjectOfClone(await makeProject())).toBe(true)
  expect(await isProjectOfClone(folder)).toBe(false)
  expect(await isProjectOfClone(join(folder, 'none'))).toBe(false)
  await writeFile(join(folder, 'package.json'), 'no JSON')
  expect(await isProjectOfClone(folder)).toBe(false)
})
