import { expect, test } from 'vitest'
import { jsonBytes, resultBytes, shorten } from '../bounded-answer.ts'
import { gatewayTools } from './gateway-tools.ts'

const [long, wide] = ['ü'.repeat(3000), '"\\\u0001'.repeat(500)]
const many = <Item>(count: number, item: (at: number) => Item) => Array.from({ length: count }, (_, at) => item(at))
const connector = { owner: long, package: wide, version: '1.0.0', title: long }
const summary = (at: number) => ({ topic: `topic${at}`, connector, message: long, key: wide, partitions: 64 })
const deep = (levels: number): unknown => (levels === 0 ? long : many(150, () => deep(levels - 1)))
const record = {
  ...{ topic: 'a', partition: 0, seq: '0', unit: '0', offset: '0', time: 'x', op: 'append', cursor: 'A' },
  ...{ key: long, value: { deep: deep(2), ...Object.fromEntries(many(2000, (at) => [`${wide}${at}`, long])) } },
}
const properties = Object.fromEntries(many(3000, (at) => [`field${at}`, { type: 'string', description: wide + long }]))

/** Answers that are as long as any. */
const answers: Readonly<Record<string, object>> = {
  '/api/v1/topics': { topics: many(5000, summary) },
  '/api/v1/topics/a': {
    ...{ ...summary(0), bytes: 'hex', jsonSchema: { type: 'object', properties } },
    bounds: many(64, (partition) => ({ partition, earliest: '9'.repeat(19), end: '9'.repeat(19) })),
  },
  '/api/v1/data/a': { data: [record], nextCursor: 'A'.repeat(4096), hasMore: true },
  '/api/v1/connectors': {
    connectors: many(40, () => ({
      ...{ connector, instance: long, topics: many(900, () => 'a'.repeat(249)), position: many(50, () => long) },
      reorganisations: many(20, () => ({
        time: '2026-08-21T10:00:00.000Z',
        topic: 'a'.repeat(249),
        first: '1',
        last: '2',
      })),
      endpoints: many(300, () => ({ endpoint: `https://${'a'.repeat(253)}:65535`, up: true })),
    })),
  },
}

test.each(gatewayTools.map((tool) => [tool.name, tool] as const))('%s has a bound for its answer', async (_, tool) => {
  const request = async (path: string) => ({ status: 200, body: answers[path] })
  const given = 'topic' in tool.parameters ? { topic: 'a' } : {}
  const result = await tool.call(given, { request, signal: new AbortController().signal })
  expect(jsonBytes(result)).toBeGreaterThan(1000)
  expect(jsonBytes(result)).toBeLessThanOrEqual(resultBytes)
  expect(result.notes).not.toEqual([])
})

test('texts, lists and objects are cut at any depth, each with a mark', () => {
  const limits = { characters: 4, elements: 2 }
  expect(shorten({ a: ['12345', ['1', '2', '3']] }, limits)).toEqual({
    value: { a: ['1234…[+1 characters]', ['1', '2', '…[+1 elements]']] },
    isShortened: true,
  })
  expect(shorten({ a: 1, b: null, c: true }, limits).value).toEqual({ a: 1, b: null, '…': '[+1 members]' })
  expect(shorten('123😀', limits).value).toBe('123…[+2 characters]')
  expect(shorten(['1234', 5], limits)).toEqual({ value: ['1234', 5], isShortened: false })
})
