import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { numbers, type PageJson, type RecordJson, seqsOf } from '../clients/shapes.ts'
import { type ServedShop, serveShop } from '../shop/served-shop.ts'
import { linesOf, type ProgramOptions } from './program.ts'

/** The topic of the examples, with one record per second from the time of the examples on. */
const topic = 'headrace.evm.1_0_0.ethereum_Block'
const count = 2500
const pages = join(import.meta.dirname, '../../../../docs/reference')

describe('curl as in docs/reference', () => {
  let shop: ServedShop
  beforeAll(async () => {
    shop = await serveShop({ topics: [topic] })
    for (let n = 0; n < count; n += 50) await shop.publish(topic, 50)
  })
  afterAll(() => shop[Symbol.asyncDispose]())

  const run = (command: string, options: ProgramOptions = {}) => {
    return linesOf(['env', `URL=${shop.url}`, `KEY=${shop.key}`, 'bash', '-c', command], options)
  }
  const runs = async <T>(command: string) => JSON.parse((await run(command)).join('')) as T

  test('runs every example of rest.md', async () => {
    const [newest, byParameter, between, final, all, selected, lines, authorize, ...further] = examples('rest.md')
    const [described, topics, connectors, used, token, document, subjects, ...others] = further
    expect(others).toEqual([])
    for (const example of [newest!, byParameter!])
      expect(seqsOf((await runs<PageJson>(example)).data)).toEqual(numbers(count, count - 3))
    expect(seqsOf((await runs<PageJson>(between!)).data)).toEqual(numbers(0, 100))
    expect(seqsOf((await runs<PageJson>(final!)).data)).toEqual(numbers(count - 50, count - 150))
    const read = (await run(all!)).map((line): PageJson => JSON.parse(line))
    expect(read.map(({ data }) => data.length)).toEqual([1000, 1000, 500])
    expect(read.flatMap(({ data }) => seqsOf(data))).toEqual(numbers(0, count))
    const ofShop = selected!.replace('value.Number in [20000000, 21000000]', 'value.number in [7, 9]')
    const { data } = await runs<PageJson>(ofShop.replace('Number,Hash', 'number'))
    expect(data).toMatchObject([
      { seq: '9', skipped: count - 10, value: { number: '9' } },
      { seq: '7', skipped: 1 },
    ])
    const streamed = (await run(lines!)).map((line): RecordJson => JSON.parse(line))
    expect(seqsOf(streamed)).toEqual(numbers(0, count))
    expect(await run(authorize!)).toContain('HTTP/1.1 204 No Content')
    expect(await runs(described!)).toMatchObject({ topic, message: 'acme.shop.Order', partitions: 1 })
    expect(await runs(topics!)).toMatchObject({ topics: [{ topic, instance: 'main' }] })
    expect(await runs(connectors!)).toMatchObject({ connectors: [{ instance: 'main', topics: [topic] }] })
    expect(await runs(used!)).toMatchObject({ key: { id: shop.keyId }, hours: expect.any(Array) })
    expect(await runs(token!)).toMatchObject({ token: expect.any(String) })
    expect(await runs(document!)).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./) })
    expect(await runs(subjects!)).toContain(`${topic}-value`)
  })

  test('runs the example of sse.md', async () => {
    const [example, ...others] = examples('sse.md')
    expect(others).toEqual([])
    const isOne = (line: string) => line.startsWith('data: {"topic":')
    const records = await run(`exec ${example}`, { isOne, count: 5 })
    const seqs = records.map((line) => Number(JSON.parse(line.slice('data: '.length)).seq))
    expect(seqs).toEqual(numbers(count - 5, count))
  })
})

/** The commands on a reference page, in order. */
function examples(page: string): string[] {
  return [...readFileSync(join(pages, page), 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, command]) => command!)
}
