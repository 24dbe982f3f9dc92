import { on, once } from 'node:events'
import { cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Chain, startChain } from '../../testbed/chain/chain.ts'
import { copyExample, exampleEvm } from './project-copy.ts'
import { connector, startConnector } from './whole-path/connector-process.ts'

const blocks = 'headrace.evm.1_0_0.ethereum_Block'
const transactions = 'headrace.evm.1_0_0.ethereum_Transaction'
const last = 30

let chain: Chain
let copy: Awaited<ReturnType<typeof copyExample>>
let queue: string

beforeAll(async () => {
  chain = await startChain()
  await chain.mine(last)
  copy = await copyExample()
  queue = `embedded:${join(copy.dir, 'queue')}`
  const { code, stderr } = await connector('run', copy.dir, ...settings(), '--set', `end=${last}`, '--queue', queue)
  expect(code, stderr).toBe(0)
})

afterAll(async () => {
  await chain.stop()
  await copy.remove()
})

afterEach(() => cp(join(exampleEvm, 'src/connector.ts'), join(copy.dir, 'src/connector.ts')))

const replaceConnector = (code: string) => writeFile(join(copy.dir, 'src/connector.ts'), code)

const unstoppableConnector = `import { defineConnector } from '@headrace/sdk'
import { schema } from './generated/schema.ts'

export default defineConnector({
  schema,
  async *read({ signal, log }) {
    log.info('reading')
    signal.addEventListener('abort', () => log.info('asked to stop'))
    await new Promise((resolve) => setTimeout(resolve, 3_600_000))
  },
})
`

async function logged(lines: Interface, message: string): Promise<void> {
  for await (const [line] of on(lines, 'line', { close: ['close'] })) if (JSON.parse(line).msg === message) return
  throw new Error(`The log ended without "${message}".`)
}

const settings = () => ['--set', `rpc=${chain.rpc}`, '--set', 'start=0', '--set', 'poll=0.05']

async function read(...args: string[]) {
  const { code, stdout, stderr } = await connector('read', '--queue', queue, '--json', '--order', 'asc', ...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

const numbers = (records: { value: { Number: string } }[]) => records.map(({ value }) => Number(value.Number))
const range = (first: number, end: number) => Array.from({ length: end - first }, (_, index) => first + index)

test('a copy of the example publishes without installed packages', async () => {
  expect(numbers(await read(blocks))).toEqual(range(0, last + 1))
})

test('a second run publishes nothing, and reports it as JSON with --json', async () => {
  const args = ['run', copy.dir, ...settings(), '--set', `end=${last}`, '--queue', queue, '--json']
  const { code, stdout } = await connector(...args)
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ units: 0, records: 0, reason: 'ended' })
})

test('newest first is the reverse order, and --limit applies to it', async () => {
  const all = await read(transactions)
  const newestFirst = await read(transactions, '--order', 'desc')
  expect(newestFirst.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq).reverse())
  expect(await read(transactions, '--order', 'desc', '--limit', '3')).toEqual(newestFirst.slice(0, 3))
})

test('reading continues from any record, in both directions, without gap or overlap', async () => {
  const ascending = await read(blocks, '--limit', '10')
  const cursor = ascending.at(-1).cursor
  expect(numbers(await read(blocks, '--cursor', cursor))).toEqual(range(10, last + 1))
  expect(numbers(await read(blocks, '--cursor', cursor, '--order', 'desc'))).toEqual(range(0, 10).reverse())
  expect(numbers(await read(blocks, '--from', cursor, '--to', 'latest', '--limit', '1'))).toEqual([10])
})

test('a reader that closes the pipe ends the command without an error', async () => {
  const { child, ended } = startConnector(['read', transactions, '--queue', queue, '--json'])
  await once(child.stdout!, 'readable')
  child.stdout!.destroy()
  expect(await ended).toMatchObject({ code: 0, signal: null, stderr: '' })
})

test('a record is one line without --json', async () => {
  const { stdout } = await connector('read', blocks, '--queue', queue, '--limit', '2', '--order', 'asc')
  expect(stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\dT\S+Z {2}0:0 {2}ts=.+ Hash=0x[0-9a-f]{64} .*Number=0 /),
    expect.stringMatching(/ {2}0:1 {2}.+ Number=1 /),
  ])
})

test('topics are listed with their message and bounds', async () => {
  const { code, stdout } = await connector('topics', 'list', '--queue', queue, '--json')
  expect(code).toBe(0)
  const list = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(list).toMatchObject([
    { topic: blocks, message: 'headrace.evm.Block', connector: { version: '1.0.0' } },
    { topic: transactions, message: 'headrace.evm.Transaction' },
  ])
})

test('a dry run prints the units and creates no queue', async () => {
  const args = ['run', copy.dir, ...settings(), '--set', 'end=2', '--dry-run', '--json']
  const { code, stdout } = await connector(...args, '--queue', `embedded:${join(copy.dir, 'dry')}`)
  expect(code).toBe(0)
  const units = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(units.map(({ unit }) => unit)).toEqual(['1', '2', '3'])
  const [first] = await read(blocks)
  expect(units[0].messages.Block).toEqual([first.value])
  await expect(rm(join(copy.dir, 'dry'), { recursive: true })).rejects.toThrow(/ENOENT/)
})

test('a dry run reports the error of `read`, not a bug of the command', async () => {
  await replaceConnector(unstoppableConnector.replace("log.info('reading')", "throw new RangeError('page 0')"))
  const { code, stdout, stderr } = await startConnector(['run', copy.dir, ...settings(), '--dry-run']).ended
  expect({ code, stdout }).toEqual({ code: 70, stdout: '' })
  expect(JSON.parse(stderr)).toMatchObject({
    code: 'source_failed',
    msg: expect.stringContaining('RangeError: page 0'),
  })
})

test('a run and a tail end with 0 after a signal', async () => {
  const run = startConnector(['run', exampleEvm, ...settings(), '--queue', queue])
  const tail = startConnector(['tail', blocks, '--queue', queue, '--json', '--from', 'last:1'])
  const lines = createInterface({ input: tail.child.stdout! })[Symbol.asyncIterator]()
  const nextBlock = async () => Number(JSON.parse((await lines.next()).value ?? 'null').value.Number)
  const before = await nextBlock()
  await chain.mine(1)
  expect(await nextBlock()).toBe(before + 1)
  run.child.kill('SIGINT')
  tail.child.kill('SIGTERM')
  const ended = await run.ended
  expect(ended, ended.stderr).toMatchObject({ code: 0, signal: null, stdout: '' })
  for (const line of ended.stderr.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg')
  expect(await tail.ended).toMatchObject({ code: 0, signal: null, stderr: '' })
})

test('a second signal ends a run at once', async () => {
  await replaceConnector(unstoppableConnector)
  const { child, ended } = startConnector(['run', copy.dir, ...settings(), '--queue', queue])
  const messages = createInterface({ input: child.stderr! })
  await logged(messages, 'reading')
  child.kill('SIGTERM')
  await logged(messages, 'asked to stop')
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ signal: 'SIGTERM' })
})

test('an invalid setting is a mistake', async () => {
  const { code, stdout, stderr } = await connector('run', copy.dir, '--set', 'poll=fast', '--queue', queue)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('(invalid_settings)')
})
