import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isWatchedPath, watchProject } from './watch-project.ts'

test.each([
  '',
  'manifest.yaml',
  '.env',
  'src',
  'src/connector.ts',
  'src/items/page.ts',
  'src/contest.ts',
  'src/sqlite.ts',
  'proto/items.proto',
  'recorded/page-1.json',
  'package.json',
  'connector.py',
  'main.go',
  'generated/x.ts',
])('%s is watched', (path) => {
  expect(isWatchedPath(path)).toBe(true)
})

test.each([
  'node_modules',
  'node_modules/x/index.js',
  'src/node_modules/x.js',
  'dist',
  '.headrace',
  '.headrace/queue.db-wal',
  '.git/index',
  '.env.example',
  'src/generated',
  'src/generated/schema.ts',
  'coverage/index.html',
  'test/connector.test.ts',
  'src/page.test.ts',
  'page_test.go',
  'test_page.py',
  '__pycache__/connector.cpython-313.pyc',
  'README.md',
  'src/.connector.ts.swp',
  'src/connector.ts~',
  'src/#connector.ts#',
  'src/4913',
  'inbox.sqlite',
  'inbox.sqlite-journal',
  'data/orders.sqlite3-wal',
  'orders.db',
  'orders.db-shm',
])('%s is not watched', (path) => {
  expect(isWatchedPath(path)).toBe(false)
})

async function watchFiles(...paths: string[]) {
  const dir = await mkdtemp(join(tmpdir(), 'headrace-watch-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  const write = async (path: string, content: string): Promise<void> => {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), content)
  }
  for (const path of paths) await write(path, '')
  const errors: Error[] = []
  const watch = await watchProject({
    dir,
    written: [join(dir, '.headrace')],
    onError: (error) => errors.push(error),
  })
  onTestFinished(() => watch.close())
  const next = () => watch.next(new AbortController().signal)
  return { dir, write, next, errors }
}

test('changes in a folder that is removed and created again are noticed', async () => {
  const { dir, write, next, errors } = await watchFiles('src/connector.ts')
  await rm(join(dir, 'src'), { recursive: true })
  expect(await next()).toEqual(['src/connector.ts'])
  for (const content of ['one', 'two']) {
    await write('src/connector.ts', content)
    expect(await next()).toEqual(['src/connector.ts'])
  }
  expect(errors).toEqual([])
})

test('changes of files that a run does not read are not noticed', async () => {
  const unread = ['node_modules/x/index.js', 'dist/connector.js', 'test/connector.test.ts', 'README.md']
  const { write, next } = await watchFiles('src/connector.ts', ...unread)
  for (const path of [
    ...unread,
    'node_modules/y/index.js',
    'src/generated/other.ts',
    '.git/index',
    'src/connector.ts~',
  ])
    await write(path, '// changed\n')
  await write('src/connector.ts', '// changed\n')
  expect(await next()).toEqual(['src/connector.ts'])
})
