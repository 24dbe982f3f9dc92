import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { writeProject } from './write-project.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'create-connector-write-'))
})
afterEach(() => rm(folder, { recursive: true }))

const files = [
  { path: '.gitignore', content: 'node_modules/\n' },
  { path: 'src/connector.ts', content: 'export {}\n' },
]
/** Cannot be written: a file would have to be a folder as well. */
const impossible = [...files, { path: 'src', content: '' }]

async function contentOf(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .sort()
}

test('a project is written into a new folder with new parent folders', async () => {
  const dir = join(folder, 'a/b/demo')
  await writeProject(dir, files)
  expect(await contentOf(dir)).toEqual(['.gitignore', 'src/connector.ts'])
  expect(await readFile(join(dir, 'src/connector.ts'), 'utf8')).toBe('export {}\n')
  expect(await readdir(join(folder, 'a/b'))).toEqual(['demo'])
  const made = join(folder, 'other')
  await mkdir(made)
  expect((await stat(dir)).mode).toBe((await stat(made)).mode)
})

test('a project is written into an empty folder', async () => {
  await writeProject(folder, files)
  expect(await contentOf(folder)).toEqual(['.gitignore', 'src/connector.ts'])
})

test('the current folder is filled, not replaced', async () => {
  const before = process.cwd()
  onTestFinished(() => process.chdir(before))
  process.chdir(folder)
  const { ino } = await stat(folder)
  await writeProject(process.cwd(), files)
  expect((await stat('.')).ino).toBe(ino)
  expect(await contentOf(folder)).toEqual(['.gitignore', 'src/connector.ts'])
  expect((await readdir(folder)).sort()).toEqual(['.gitignore', 'src'])
})

test.each([
  ['a file', ''],
  ['a hidden file', '.x'],
])('a folder with %s in it is not changed', async (_, name) => {
  const dir = join(folder, 'demo')
  const file = name === '' ? dir : join(dir, name)
  if (name !== '') await mkdir(dir)
  await writeFile(file, 'mine')
  await expect(writeProject(dir, files)).rejects.toMatchObject({ code: 'folder_exists' })
  expect(await readFile(file, 'utf8')).toBe('mine')
  expect(await readdir(folder)).toEqual(['demo'])
})

test('a failure in the middle removes all files and the new parent folders', async () => {
  await expect(writeProject(join(folder, 'a/b/demo'), impossible)).rejects.toMatchObject({ code: 'folder_not_written' })
  expect(await readdir(folder)).toEqual([])
})

test('a failure in the middle empties the current folder again', async () => {
  const before = process.cwd()
  onTestFinished(() => process.chdir(before))
  process.chdir(folder)
  await expect(writeProject(process.cwd(), impossible)).rejects.toMatchObject({ code: 'folder_not_written' })
  expect(await readdir(folder)).toEqual([])
})

test.skipIf(process.getuid?.() === 0)('a folder without write permission is refused', async () => {
  await chmod(folder, 0o500)
  await expect(writeProject(join(folder, 'demo'), files)).rejects.toMatchObject({ code: 'folder_not_written' })
})
