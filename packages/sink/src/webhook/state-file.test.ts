import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { UserError } from '@headrace/queue'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStateFile } from './state-file.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-state-'))
})
afterEach(() => rm(folder, { recursive: true }))

const log = { debug() {}, info() {}, warn() {}, error() {} }
const { signal } = new AbortController()
const open = (name = 'one', options: { signal?: AbortSignal } = {}) =>
  openStateFile(join(folder, 'new'), { name, topics: [], readOnly: false, log, signal, ...options })

test('what is written is read by the next run, by topic and by name', async () => {
  const first = await open()
  expect(first.read('t')).toEqual({ cursor: undefined, offsets: {} })
  first.write('t', { cursor: undefined, offsets: { 1: '5' } })
  first.write('T', { cursor: 'c', offsets: {} })
  first.write('t', { cursor: 'd', offsets: { 1: '7', 2: '9007199254740993' } })
  first.close()
  const [second, other] = [await open(), await open('../one/..')]
  expect(second.read('t')).toEqual({ cursor: 'd', offsets: { 1: '7', 2: '9007199254740993' } })
  expect(second.read('T')).toEqual({ cursor: 'c', offsets: {} })
  expect(other.read('t')).toEqual({ cursor: undefined, offsets: {} })
  second.close()
  other.close()
})

test('a second run waits until the first has closed the file, or until it is aborted', async () => {
  const first = await open()
  const stop = new AbortController()
  const [second, third] = [open(), open('one', { signal: stop.signal })]
  const isOpen = second.then(() => true)
  expect(await Promise.race([isOpen, delay(50, false)])).toBe(false)
  stop.abort()
  await expect(third).rejects.toMatchObject({ name: 'AbortError' })
  first.close()
  const opened = await second
  opened.close()
})

test('a folder or a file that cannot be used is refused', async () => {
  await writeFile(join(folder, 'file'), 'text')
  const inFile = openStateFile(join(folder, 'file'), { name: 'one', topics: [], readOnly: false, log, signal })
  await expect(inFile).rejects.toBeInstanceOf(UserError)
  await writeFile(join(folder, 'one.webhook.db'), 'This is no database, but a text of some length.'.repeat(100))
  const noDatabase = openStateFile(folder, { name: 'one', topics: [], readOnly: false, log, signal })
  await expect(noDatabase).rejects.toMatchObject({ code: 'destination_refused' })
})
