import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bin, connector } from './whole-path/connector-process.ts'

let folder: string
let queue: string[]
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-keys-'))
  queue = ['--queue', `embedded:${folder}/queue`]
})
afterAll(() => rm(folder, { recursive: true }))

const keys = (...args: string[]) => connector('keys', ...args, ...queue)
const lines = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

test('a key is created, listed, rotated and revoked, and is printed once', async () => {
  const options = ['--topics', 'acme.*', '--origin', 'https://example.com', '--rate', '5', '--connections', '3']
  const created = await keys('create', '--name', 'website', ...options, '--require-origin', '--json')
  const [{ key, id }] = lines(created.stdout)
  const listed = await keys('list', '--json')
  expect(lines(listed.stdout)).toMatchObject([
    {
      ...{ id, name: 'website', topics: ['acme.*'], origins: ['https://example.com'], requireOrigin: true },
      ...{ rate: 5, connections: 3, state: 'usable' },
    },
  ])

  const rotated = await keys('rotate', id, '--grace', '1h')
  expect(rotated.stdout).toMatch(/^hr_test_[0-9A-Za-z]{36}\n$/)
  const [, newId] = /Its id is ([0-9a-f]{16})\./.exec(rotated.stderr) ?? []
  const both = await keys('list')
  expect(both.stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/^ID +NAME +ENVIRONMENT +TOPICS +ORIGINS +REQUESTS +CONNECTIONS +STATE$/),
    expect.stringMatching(`^${id} +website .* usable until \\d{4}-`),
    expect.stringMatching(`^${newId} +website .* acme\\.\\* .* 5/s, default at once +3 +usable$`),
  ])

  const revoked = await keys('revoke', id, '--json')
  expect(lines(revoked.stdout)).toEqual([{ id, state: 'revoked' }])
  expect(lines((await keys('list', '--json')).stdout)).toHaveLength(1)
  expect(lines((await keys('list', '--all', '--json')).stdout)).toMatchObject([
    { state: 'revoked' },
    { state: 'usable' },
  ])

  const again = await keys('rotate', id)
  expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('(key_not_usable)') })
  for (const command of ['revoke', 'usage'])
    expect(await keys(command, 'nobody')).toMatchObject({ code: 1, stderr: expect.stringContaining('(unknown_key)') })
  for (const { stdout, stderr } of [listed, rotated, both, revoked, again]) expect(stdout + stderr).not.toContain(key)
})

test('a key is shown and changed', async () => {
  const options = ['--origin', 'https://example.com', '--quota', 'records=10', 'bytes=20', '--expires', '90d']
  const [{ id }] = lines((await keys('create', '--name', 'changed', ...options, '--json')).stdout)
  const shown = lines((await keys('show', id, '--json')).stdout)[0]
  expect(shown).toMatchObject({ id, quota: { records: 10, bytes: 20 }, origins: ['https://example.com'] })
  expect(Object.keys(shown)).not.toContain('hash')
  const change = ['--origin', 'any', '--quota', 'none', '--expires', 'never', '--rate', '7', '--contact', 'Ann']
  const changed = await keys('update', id, ...change, '--json')
  const { quota, expires, ...kept } = shown
  expect(lines(changed.stdout)).toEqual([{ ...kept, origins: [], rate: 7, contact: 'Ann' }])
  const text = await keys('update', id, '--rate', 'default', '--require-origin')
  expect(text.stdout.replaceAll(/ +/g, ' ').split('\n')).toEqual(
    expect.arrayContaining([
      `id ${id}`,
      'requires origin yes',
      'requests default',
      'monthly quota none',
      'contact Ann',
    ]),
  )
  expect(lines((await keys('update', id, '--no-require-origin', '--json')).stdout)).toMatchObject([
    { requireOrigin: false },
  ])
  expect(await keys('update', id)).toMatchObject({ code: 2, stderr: expect.stringContaining('at least one thing') })
  expect(await keys('update', id, '--quota', 'speed=1')).toMatchObject({ code: 2 })
})

test('a queue without requests has no usage, and an invalid time is wrong usage', async () => {
  expect(await keys('usage', '--json')).toMatchObject({ code: 0, stdout: '' })
  expect(await keys('usage')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^KEY +REQUESTS .*\n$/) })
  for (const time of ['yesterday', 'latest', 'last:3'])
    expect(await keys('usage', '--from', time)).toMatchObject({ code: 2, stdout: '' })
})

test('a key for a missing queue creates the queue and reports where', async () => {
  const mistyped = ['--queue', `embedded:${folder}/mistyped`]
  const made = `There was no queue in ${folder}/mistyped: an empty one was created.\n`
  const first = await connector('keys', 'create', '--name', 'a', ...mistyped)
  expect(first.stderr).toMatch(made)
  const second = await connector('keys', 'create', '--name', 'b', ...mistyped)
  expect(second.stderr).toMatch(/^Keep the key safe: it is not shown again\. Its id is [0-9a-f]{16}\.\n$/)
  const listed = await connector('topics', 'list', ...mistyped)
  expect(listed).toMatchObject({ code: 0, stderr: expect.stringMatching(/^The queue has no topics: /) })
})

test('a command for existing keys reports a missing queue', async () => {
  const elsewhere = ['--queue', `embedded:${folder}/elsewhere`]
  for (const args of [
    ['list'],
    ['usage'],
    ['show', 'x'],
    ['update', 'x', '--rate', '1'],
    ['revoke', 'x'],
    ['rotate', 'x'],
  ])
    expect(await connector('keys', ...args, ...elsewhere)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(queue_not_found)'),
    })
})

test('invalid options create no queue', async () => {
  const elsewhere = ['--queue', `embedded:${folder}/wrong`]
  const wrong = [
    ['--name', 'two\nlines'],
    ['--name', '\u001b[31mred'],
    ['--name', 'a', '--topics', 'acme/*'],
    ['--name', 'a', '--origin', 'example.com'],
    ['--name', 'a', '--rate', '1000001'],
  ]
  for (const options of wrong) {
    const { code, stdout, stderr } = await connector('keys', 'create', ...options, ...elsewhere)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('(invalid_key_options)')
    expect(stderr).not.toContain('\u001b')
  }
  expect(existsSync(join(folder, 'wrong'))).toBe(false)
})

test.skipIf(!existsSync('/dev/full'))('a key that cannot be printed is not created, and replaces no key', async () => {
  const [{ id }] = lines((await keys('create', '--name', 'old', '--json')).stdout)
  const before = await keys('list', '--all', '--json')
  for (const args of [
    ['create', '--name', 'x'],
    ['create', '--name', 'x', '--json'],
    ['rotate', id],
  ])
    for (const target of ['full', 'closed']) {
      const stdout = target === 'full' ? openSync('/dev/full', 'w') : 'pipe'
      const child = spawn(process.execPath, [bin, 'keys', ...args, ...queue], { stdio: ['ignore', stdout, 'pipe'] })
      child.stdout?.destroy()
      let stderr = ''
      child.stderr!.on('data', (chunk) => {
        stderr += chunk
      })
      expect(await once(child, 'close')).toEqual([1, null])
      expect(stderr).toContain('No key was created')
      expect(stderr).toContain('output_failed')
    }
  expect(await keys('list', '--all', '--json')).toEqual(before)
})
