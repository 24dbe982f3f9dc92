import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openQueue } from '@headrace/queue'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { speedUpTime } from '../../testbed/fast-time.ts'
import { connector } from './whole-path/connector-process.ts'

/** Port 0, because another program may use the port of a gateway. */
const doctor = (...args: string[]) => connector('doctor', '--port', '0', ...args)

let folder: string
let queue: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headrace-doctor-'))
  queue = `embedded:${folder}`
  const opened = await openQueue(queue)
  await opened.createTopics([{ name: 'data' }])
  await opened.append([{ topic: 'data', key: null, value: Buffer.from('kept'), time: 1 }])
  await opened.close()
})
afterEach(() => rmSync(folder, { recursive: true }))

test('an undamaged queue is reported in the text, and --json prints no finding', async () => {
  expect(await doctor('--queue', queue)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`queue ${queue}\n  ok\n`),
    stderr: '',
  })
  expect(await doctor('--queue', queue, '--json')).toMatchObject({ code: 0, stdout: '' })
})

test('each problem is reported with its place and a remedy, and the exit code is 1 until it is repaired', async () => {
  const database = new DatabaseSync(join(folder, 'queue.db'))
  database.exec('UPDATE batches SET max_time = 7 WHERE bytes_id = 1')
  database.close()

  const found = await doctor('--queue', queue)
  expect(found).toMatchObject({ code: 1, stderr: '' })
  expect(found.stdout).toMatch(
    /^ {2}error: .+ at offset 0 of "data" partition 0 is damaged: .+ \(damaged_batch\)\n {4}Restore the file .+ --repair/m,
  )

  const repaired = await doctor('--queue', queue, '--repair', '--json')
  expect(repaired).toMatchObject({ code: 0, stderr: '' })
  const lines = repaired.stdout.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { severity: 'error', code: 'damaged_batch', repaired: true },
    { severity: 'warning', code: 'damaged_file_kept', repaired: true },
  ])
  expect(await doctor('--queue', queue)).toMatchObject({ code: 0 })
})

test('records that a repair loses are reported with their offsets, before the damaged file', async () => {
  const database = new DatabaseSync(join(folder, 'queue.db'))
  database.exec('UPDATE bytes SET bytes = zeroblob(length(bytes))')
  database.close()

  const repaired = await doctor('--queue', queue, '--repair', '--json')
  expect(repaired).toMatchObject({ code: 0, stderr: '' })
  const lines = repaired.stdout.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { severity: 'warning', code: 'lost_records', lost: { topic: 'data', partition: 0, first: '0', last: '0' } },
    { severity: 'error', code: 'damaged_batch', repaired: true },
    { severity: 'warning', code: 'damaged_file_kept', repaired: true },
  ])
})

test('a missing last row of partitions is found, and a repair restores it', async () => {
  const database = new DatabaseSync(join(folder, 'queue.db'))
  database.exec('DELETE FROM partitions')
  database.close()
  expect(await doctor('--queue', queue)).toMatchObject({ code: 1 })
  expect(await doctor('--queue', queue, '--repair')).toMatchObject({ code: 0 })
  const opened = await openQueue(queue)
  const { batches } = await opened.read({ topic: 'data', partition: 0, offset: 0n }, { maxBytes: 1 })
  expect([...batches[0]!.records()].map(({ value }) => Buffer.from(value!).toString())).toEqual(['kept'])
  await opened.close()
})

test('a missing queue is a finding', async () => {
  const nowhere = await doctor('--queue', `embedded:${join(folder, 'nowhere')}`)
  expect(nowhere).toMatchObject({ code: 1, stdout: expect.stringContaining('(queue_not_found)') })
})

test('a Kafka that cannot be reached ends every command with 69 when the time budget is spent', async () => {
  speedUpTime()
  const unreachable = ['--queue', 'kafka://127.0.0.1:1']
  const [diagnosis, text, list] = await Promise.all([
    doctor(...unreachable, '--json'),
    doctor(...unreachable),
    connector('topics', 'list', ...unreachable),
  ])
  expect(diagnosis).toMatchObject({ code: 69, stderr: '' })
  expect(JSON.parse(diagnosis.stdout)).toMatchObject({ code: 'queue_unavailable', place: '127.0.0.1:1' })
  expect(text.stdout).toMatch(/^queue kafka:\/\/127\.0\.0\.1:1: PLAINTEXT, compression zstd\n {2}error: /)
  expect(list).toMatchObject({
    code: 69,
    stdout: '',
    stderr: expect.stringMatching(/127\.0\.0\.1:1 cannot be reached/),
  })
})
