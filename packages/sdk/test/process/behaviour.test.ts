import { systemTopics } from '@headrace/catalog'
import { type ProcessLimits, processConnector } from '@headrace/sdk'
import type { TestProject, TestRunOptions } from '@headrace/sdk/testing'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openChain } from '../chain/open.ts'
import { commandOf, type Way } from './children/ways.ts'

let project: TestProject
let logged: Record<string, unknown>[]
beforeEach(async () => {
  project = await openChain()
  logged = []
})
afterEach(() => project.close())

const retry = { firstMs: 1, maxMs: 5, budgetMs: 20 }

/** Runs a child with one behaviour. */
function run(way: Way, { limits, ...options }: TestRunOptions & { limits?: Partial<ProcessLimits> } = {}) {
  const connector = processConnector({
    command: commandOf(way),
    dir: import.meta.dirname,
    messages: ['acme.chain.Block', 'acme.chain.Transaction'],
    limits: { stopMs: 100, terminateMs: 100, ...limits },
  })
  const log = pino({ level: 'trace' }, { write: (line: string) => logged.push(JSON.parse(line)) })
  return project.run(connector, { log, retry, ...options })
}

const numbers = async () => (await project.records('Block')).map(({ value }) => (value as { Number: string }).Number)
const logLines = () => logged.filter(({ msg }) => msg === 'child stderr').map(({ line }) => line)

/** Whether a process is running. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a child that writes Done ends the run without an error, and its progress is reported', async () => {
  const reported: number[][] = []
  const summary = await run('well', { observer: { onProgress: (at, head) => reported.push([at, head]) } })
  expect(summary).toMatchObject({ units: 1, records: 1, reason: 'ended' })
  expect(reported).toEqual([[1, 2]])
  expect(await project.checkpoint()).toEqual({ at: 1 })
})

test('the time and the final unit are those that the child writes', async () => {
  await run('withTimeAndFinal')
  const [first] = await project.records('Block')
  expect(first!.time).toEqual(new Date(1_700_000_000_000))
  expect((await project.storedCheckpoint())!.final?.unit).toBe(1)
})

test('bytes that are not a message of their type get a record without a value, and a dead letter contains them', async () => {
  expect(await run('withMalformedMessage')).toMatchObject({ units: 2, records: 2, badMessages: 1, reason: 'ended' })
  const [malformed, good] = await project.records('Block')
  expect(malformed).toMatchObject({ unit: 1, seq: 0, value: null, error: expect.stringMatching(/^encode_failed: /) })
  expect(good).toMatchObject({ unit: 2, seq: 1, value: { Number: '2' } })
  const { batches } = await project.queue.read(
    { topic: systemTopics.deadLetters, partition: 0, offset: 0n },
    { maxBytes: 1 << 20 },
  )
  const [letter] = batches.flatMap((batch) => [...batch.records()])
  expect(JSON.parse(Buffer.from(letter!.value!).toString())).toMatchObject({
    ...{ topic: 'acme.chain.1_0_0.test_Block', partition: 0, seq: 0, code: 'encode_failed', length: 7 },
    value: Buffer.from('garbage').toString('base64'),
  })
})

test("bytes that are not a message of their type end the run with onBadMessage: 'stop'", async () => {
  await expect(run('withMalformedMessage', { onBadMessage: 'stop' })).rejects.toMatchObject({ code: 'bad_message' })
  expect(await project.records('Block')).toEqual([])
})

const violations: [string, Way, RegExp, number][] = [
  [
    'writes text to stdout first',
    'textFirst',
    /wrote text to stdout: "Connecting to the source …"; write logs to stderr/,
    0,
  ],
  ['writes text to stdout later', 'textLater', /wrote text to stdout: "Got 3 rows"; write logs to stderr/, 1],
  ['writes garbage', 'garbage', /a frame of 4294836225 bytes \(ff fe 00 01 88 .*\), and 67108864 are allowed/, 1],
  ['writes a frame that is not a message', 'garbageFrame', /a frame of 4 bytes \(ff ff ff ff\) is no FromChild/, 1],
  ['writes a frame that is too large', 'hugeFrame', /a frame of 67108865 bytes \(04 00 00 01 12\)/, 1],
  ['writes a message that version 1 does not define', 'unknownMember', /its message is unknown/, 1],
  ['writes a unit before Ready', 'unitBeforeReady', /its first frame holds unit; it must hold ready, or failed/, 0],
  ['writes Ready twice', 'readyTwice', /it wrote Ready a second time/, 1],
  ['speaks a later version', 'laterVersion', /it speaks version 2, and only version 1 is supported/, 0],
  ['writes a message of an unknown type', 'unknownType', /of type 7; there are: 0 acme\.chain\.Block, 1 acme/, 1],
  ['writes a checkpoint that is not JSON', 'invalidJson', /checkpoint of unit 2 is "\{'at': 2\}", which is no JSON/, 1],
  ['writes a unit without a checkpoint', 'emptyCheckpoint', /checkpoint of unit 2 is "", which is no JSON/, 1],
  ['writes an integer that would be rounded', 'roundedCheckpoint', /9007199254740993 is beyond 2\^53/, 1],
  ['skips a unit number', 'numbersWithGap', /a unit has the number 3, and 2 was expected/, 1],
]
test.each(violations)(
  'a child that %s ends the run immediately, after its earlier units',
  async (_, way, pattern, units) => {
    await expect(run(way)).rejects.toMatchObject({ code: 'child_protocol', message: expect.stringMatching(pattern) })
    expect(await numbers()).toEqual(['1'].slice(0, units))
  },
)

test('a child that writes more units than may be pending ends the run', async () => {
  await expect(run('flood', { limits: { pendingUnits: 3 } })).rejects.toMatchObject({
    code: 'child_protocol',
    message: expect.stringMatching(/it wrote unit 4 when only 0 were committed, and 3 may be pending/),
  })
  expect(await numbers()).toEqual(['1', '2', '3'])
})

const crashes: [string, Way, string, RegExp][] = [
  [
    'ends within a frame',
    'partialFrame',
    'child_ended',
    /ended with exit code 3 before .* It had written 9 of \d+ bytes/,
  ],
  ['ends without Done', 'exitWithoutDone', 'child_ended', /exit code 0 before .* stderr says: nothing left to do$/],
  ['crashes', 'crash', 'child_ended', /ended with exit code 1 before .* stderr says: .*no such table: blocks/],
  ['hangs within a frame', 'hangsInFrame', 'child_stalled', /wrote 9 of \d+ bytes of a frame, .* nothing for 0\.1 s/],
  ['does not write Ready', 'neverReady', 'child_not_ready', /did not write Ready within 0\.1 s/],
]
test.each(crashes)('a child that %s is started again until the budget is spent', async (_, way, code, pattern) => {
  const readyMs = way === 'neverReady' ? 100 : 30_000
  const frameMs = way === 'hangsInFrame' ? 100 : 30_000
  await expect(run(way, { limits: { readyMs, frameMs } })).rejects.toMatchObject({
    code: 'source_failed',
    cause: { code, message: expect.stringMatching(pattern) },
  })
  expect(logged.filter(({ msg }) => msg === 'child started').length).toBeGreaterThan(1)
})

test.each<[string, Way, RegExp]>([
  ['a missing module', 'missingModule', /exit code 1 before it wrote Ready\. .* stderr says: .*Cannot find module/],
  ['text on stdout', 'shortText', /exit code 0 before it wrote Ready/],
])('a child that ends twice before it is ready, because of %s, ends the run', async (_, way, pattern) => {
  await expect(run(way, { retry: { firstMs: 1, budgetMs: 300_000 } })).rejects.toMatchObject({
    code: 'child_not_started',
    message: expect.stringMatching(pattern),
  })
  expect(logged.filter(({ msg }) => msg === 'child started')).toHaveLength(2)
})

test('a child that fails with retry is started again, and the run ends with source_unavailable', async () => {
  await expect(run('failedToRetry')).rejects.toMatchObject({
    code: 'source_unavailable',
    message: expect.stringContaining('the database is restarting'),
  })
  expect(logged.filter(({ msg }) => msg === 'child started').length).toBeGreaterThan(1)
})

test('a child that fails without retry ends the run', async () => {
  await expect(run('failedForGood')).rejects.toMatchObject({
    code: 'child_failed',
    message: 'The child cannot continue: the password is wrong',
  })
  expect(logged.filter(({ msg }) => msg === 'child started')).toHaveLength(1)
})

test('a missing program ends the run', async () => {
  const connector = processConnector({ command: ['./no-such-program'], dir: import.meta.dirname, messages: [] })
  await expect(
    project.run({ ...connector, schema: (await import('../chain/schema.ts')).schema }),
  ).rejects.toMatchObject({
    code: 'child_not_started',
    message: expect.stringContaining('"./no-such-program"'),
  })
})

test('a child is sent Stop, and its stderr is logged', async () => {
  const stop = new AbortController()
  const summary = await run('waitsForStop', {
    signal: stop.signal,
    limits: { stopMs: 60_000 },
    graceMs: 60_000,
    observer: { onCommit: () => stop.abort() },
  })
  expect(summary).toMatchObject({ units: 1, reason: 'stopped' })
  expect(logLines()).toEqual(['asked to stop'])
  expect(logged.find(({ msg }) => msg === 'child ended')).toMatchObject({ code: 0, signal: null })
})

test('a child that ignores Stop and SIGTERM is killed with its own children', async () => {
  const stop = new AbortController()
  const summary = await run('ignoresStop', {
    signal: stop.signal,
    graceMs: 60_000,
    observer: { onCommit: () => stop.abort() },
  })
  expect(summary).toMatchObject({ units: 1, reason: 'stopped' })
  expect(logLines()).toEqual(['asked with SIGTERM'])
  expect(logged.find(({ msg }) => msg === 'child ended')).toMatchObject({ signal: 'SIGKILL' })
  const pids = (await project.checkpoint()) as number[]
  await expect.poll(() => pids.filter(isRunning)).toEqual([])
})
