import { expect, test } from 'vitest'
import { isWatchedPath } from './watch-project.ts'

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
])('%s is not', (path) => {
  expect(isWatchedPath(path)).toBe(false)
})
