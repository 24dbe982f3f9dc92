import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { openLine } from '../clients/line.ts'
import { numbers, type RecordJson, type RpcMessage, seqsOf } from '../clients/shapes.ts'
import type { ServedShop } from '../shop/served-shop.ts'
import { type Engine, engines } from './engines.ts'
import { linesOf } from './program.ts'

/** Number of records at the start and at the end. */
const published = 200
const total = 500

const pythonFolder = inject('pythonFolder')
const goFolder = inject('goFolder')

const [embedded] = engines

test.skipIf(pythonFolder === null)(
  'the library websockets of Python reads history and live records, and continues after each broken connection',
  async () => {
    await expectAllRead(embedded!, (url, { key, topic }) => {
      const address = `${url.replace('http', 'ws')}/ws/v1`
      const program = join(import.meta.dirname, 'socket_reader.py')
      return [join(pythonFolder!, 'python3'), program, address, key, topic, `${total}`]
    })
  },
)

test.skipIf(pythonFolder === null)(
  'the library httpx of Python reads history with a filter, in pages and as lines in every coding',
  async () => {
    await using shop = await embedded!.serve()
    const { topic } = shop
    const isChosen = (number: number) => number % 7 === 0
    await shop.publish(topic, total, (number) => ({ note: isChosen(number) ? 'chosen' : 'x'.repeat(100) }))
    const program = join(import.meta.dirname, 'history_reader.py')
    const address = `${shop.url}/api/v1/data/${topic}`
    const printed = await linesOf([
      join(pythonFolder!, 'python3'),
      program,
      address,
      shop.key,
      'value.note == "chosen"',
    ])
    const read = printed.map((line) => JSON.parse(line) as [what: string, seqs: (number | string)[]])
    const chosen = numbers(0, total).filter(isChosen)
    expect(read.filter(([what]) => what === 'page').flatMap(([, seqs]) => seqs)).toEqual(chosen)
    for (const coding of ['zstd', 'br', 'gzip', 'identity'])
      expect(read.find(([what]) => what === coding)).toEqual([coding, chosen])
    expect(read.at(-1)).toEqual(['codings', expect.arrayContaining(['br', 'gzip', 'zstd'])])
  },
)

describe.each(engines)('over $name', (engine) => {
  const { missing } = engine

  describe.skipIf(missing !== undefined || goFolder === null)(`the standard library of Go${why(missing)}`, () => {
    test('reads history and live records, and continues after each broken connection', async () => {
      await expectAllRead(engine, (url, { key, topic }) => {
        const address = `${url}/sse/v1?topics=${topic}&from=earliest`
        return [join(goFolder!, 'event-reader'), address, key, `${total}`]
      })
    })
  })
})

test('the WebSocket of Node reads history and live records', async () => {
  await using shop = await embedded!.serve()
  const { topic } = shop
  await shop.publish(topic, published)
  const socket = new WebSocket(`${shop.url.replace('http', 'ws')}/ws/v1?api_key=${shop.key}`)
  const records: RecordJson[] = []
  const answers: RpcMessage[] = []
  const all = new Promise<void>((resolve) => {
    socket.onmessage = ({ data }) => {
      const message: RpcMessage = JSON.parse(data)
      if (message.method === undefined) answers.push(message)
      else if (message.method === 'subscription') records.push(message.params as RecordJson)
      if (records.length === total) resolve()
    }
  })
  await once(socket, 'open')
  const params = { topics: [topic], from: 'earliest' }
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params }))
  for (let count = published; count < total; count += 100) await shop.publish(topic, 100)
  await all
  expect(answers).toMatchObject([{ id: 1, result: { topics: [{ topic }] } }])
  expect(seqsOf(records)).toEqual(numbers(0, total))
  const closed = once(socket, 'close')
  await shop.revokeKey(shop.keyId)
  const [{ code }] = await closed
  expect(code).toBe(4401)
})

/** Runs a program while records are published and its connection is reset, and expects each record once. */
async function expectAllRead(
  { serve }: Engine,
  command: (url: string, shop: ServedShop & { topic: string }) => readonly [string, ...string[]],
): Promise<void> {
  await using shop = await serve()
  await using line = await openLine(Number(new URL(shop.url).port))
  await shop.publish(shop.topic, published)
  const onLine = async (count: number) => {
    if (count < published || count % 100 !== 0 || count === total) return
    line.cut()
    await shop.publish(shop.topic, 50)
    await shop.publish(shop.topic, 50)
  }
  const read = await linesOf(command(line.url, shop), { onLine })
  expect(read.map(Number)).toEqual(numbers(0, total))
  expect(line.cuts).toBe((total - published) / 100)
}

function why(missing: string | undefined): string {
  return missing === undefined ? '' : `, skipped: ${missing}`
}
