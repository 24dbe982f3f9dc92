import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openQueue } from '@headrace/queue'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connector } from './whole-path/connector-process.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-usage-'))
})
afterAll(() => rm(folder, { recursive: true }))

test.each([
  ['no command', []],
  ['an unknown option', ['run', '--fast']],
  ['an invalid queue URL', ['topics', 'list', '--queue', 'redis://localhost']],
])('%s is wrong usage: exit code 2, reported on standard error without a stack', async (_, args) => {
  const { code, stdout, stderr } = await connector(...args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).not.toBe('')
  expect(stderr).not.toMatch(/^\s+at /m)
})

test.each([
  ['an unknown option', ['run', '--fast'], 'wrong_usage', "unknown option '--fast'"],
  ['a mistyped command', ['topics', 'lsit'], 'wrong_usage', "unknown command 'lsit'\n(Did you mean list?)"],
  ['an invalid queue URL', ['topics', 'list', '--queue', 'redis://localhost'], 'invalid_queue_url', 'redis'],
  [
    'a path that is not a folder',
    ['run', '/dev/null'],
    'invalid_manifest',
    '/dev/null:1:1: error: This is not a folder.',
  ],
])('%s is one JSON line on standard error with --json', async (_, args, code, message) => {
  const { stdout, stderr } = await connector(...args, '--json')
  expect(stdout).toBe('')
  expect(JSON.parse(stderr)).toMatchObject({ level: 60, code, msg: expect.stringContaining(message) })
})

test('warnings of a manifest are JSON lines on standard error with --json', async () => {
  await writeFile(join(folder, 'manifest.yaml'), 'owner: acme\npackage: book\nversion: 1.0.0\ntitel: Book\n')
  await writeFile(join(folder, 'book.proto'), 'syntax = "proto3"; message Page {}')
  const { stderr } = await connector('run', folder, '--set', 'page=1', '--json')
  const [warning, mistake, ...others] = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(warning).toMatchObject({
    level: 40,
    msg: expect.stringContaining(':4:1: warning: The field "titel" is unknown'),
  })
  expect(mistake).toMatchObject({ level: 60, code: 'invalid_settings' })
  expect(others).toEqual([])
  await rm(join(folder, 'manifest.yaml'))
})

test('help and version are results', async () => {
  expect(await connector('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('manifest'), stderr: '' })
  expect(await connector('--version')).toMatchObject({ code: 0, stdout: '0.1.0\n', stderr: '' })
})

test('a topic that does not exist is a mistake, which is reported with a remedy', async () => {
  const queue = `embedded:${join(folder, 'empty')}`
  await (await openQueue(queue)).close()
  const { code, stdout, stderr } = await connector('read', 'acme.shop.1_0_0.shop_Order', '--queue', queue)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^error: There is no topic "acme\.shop\.1_0_0\.shop_Order".+\(unknown_topic\)\n$/)
})

test('a command in a folder without a queue reports it, and creates nothing', async () => {
  const wrong = join(folder, 'wrong')
  const { code, stdout, stderr } = await connector('topics', 'list', '--queue', `embedded:${wrong}`)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^error: There is no queue in .+\(queue_not_found\)\n$/)
  expect(existsSync(wrong)).toBe(false)
})

test('a folder without a manifest is a mistake with a place', async () => {
  const { code, stdout, stderr } = await connector('run', folder)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr.startsWith(`${join(folder, 'manifest.yaml')}:1:1: error: There is no manifest.yaml here.`)).toBe(true)
  expect(stderr).not.toMatch(/^\s+at /m)
})
