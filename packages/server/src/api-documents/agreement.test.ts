import { encodeCursor, type JsonSchema } from '@headrace/catalog'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../api-definition/endpoint.ts'
import { readPosition } from '../api-definition/parameter.ts'
import { schemas } from '../api-definition/schemas.ts'
import { limits } from '../options/limits.ts'
import { dataEndpoint, parseDataQuery } from '../rest/data-endpoint.ts'
import { usageEndpoint } from '../rest/usage-route.ts'
import { streamEndpoint } from '../sse/stream-route.ts'
import { readSubscribeParams } from '../websocket/methods.ts'
import { webSocketMessages } from './asyncapi.ts'

const data = dataEndpoint(limits)
const usage = usageEndpoint(limits)
const stream = streamEndpoint(limits)

interface Case {
  readonly name: string
  readonly endpoint: Endpoint
  /** Throws if the parameter is refused. */
  read(text: string): unknown
}

/** A filter and fields are checked against the topic, and so only once it is known. */
const ofTopics = ['filter', 'fields']

const cases: readonly Case[] = [
  ...Object.keys(data.parameters)
    .filter((name) => !ofTopics.includes(name))
    .map((name): Case => {
      return { name, endpoint: data, read: (text) => parseDataQuery({ [name]: text }, data) }
    }),
  ...(['from', 'to'] as const).map((name): Case => {
    return { name, endpoint: usage, read: (text) => usage.parameters[name].read(name, text) }
  }),
  ...(['from', 'last_event_id'] as const).map((name): Case => {
    return { name, endpoint: stream, read: (text) => readPosition(name, text, { isStart: true }) }
  }),
]

/** Whether a function does not throw. */
function accepts(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

describe('the rules of the documents and of the gateway', () => {
  it.each(cases)('are the same for $name of $endpoint.path', ({ name, endpoint, read }) => {
    const isDocumented = validator(endpoint.parameters[name]!.schema)
    const counts = { allowed: 0, refused: 0 }
    fc.assert(
      fc.property(parameterText, (text) => {
        const isAllowed = accepts(() => read(text))
        counts[isAllowed ? 'allowed' : 'refused']++
        // A cursor is opaque, and a pattern cannot check the length of months.
        if (!isAllowed && (isCursorLike(text) || isDate(text))) return
        expect([text, isDocumented(name === 'limit' ? numberIn(text) : text)]).toEqual([text, isAllowed])
      }),
      { numRuns: 3000 },
    )
    expect(Math.min(counts.allowed, counts.refused)).toBeGreaterThan(5)
  })

  it('are the same for the params of a subscription', () => {
    const { payload } = webSocketMessages().subscribe as { payload: { properties: { params: JsonSchema } } }
    const isDocumented = validator(payload.properties.params)
    const counts = { allowed: 0, refused: 0 }
    fc.assert(
      fc.property(subscribeParams, (params) => {
        const isAllowed = accepts(() => readSubscribeParams(params))
        counts[isAllowed ? 'allowed' : 'refused']++
        expect([params, isDocumented(params)]).toEqual([params, isAllowed])
      }),
      { numRuns: 3000 },
    )
    expect(Math.min(counts.allowed, counts.refused)).toBeGreaterThan(5)
  })
})

function validator(schema: JsonSchema): (value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  return ajv.compile({ ...schema, components: { schemas } }) as (value: unknown) => boolean
}

/** A query parameter is a string, or a number if it is a JSON number. */
function numberIn(text: string): unknown {
  return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) && String(Number(text)) === text ? Number(text) : text
}

function isCursorLike(text: string): boolean {
  return /^A[Q-Za-v][\w-]*$/.test(text)
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-(29|3\d)T/i.test(text)
}

const cursor = encodeCursor({ topics: [{ id: 'x', topic: 'a.1_0_0.b_C', partitions: [{ offset: 7n, seq: 3 }] }] })
const good = fc.oneof(
  fc.constantFrom('asc', 'desc', 'canonical', 'log', 'json', 'ndjson'),
  fc.constantFrom('earliest', 'latest', 'final', 'last:1', 'last:10000', '-10m', '-999999999d', cursor),
  fc.integer({ min: 1, max: 1000 }).map(String),
  fc.integer({ min: 1, max: 10_000 }).map((count) => `last:${count}`),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') }).map((date) => date.toISOString()),
  fc.constantFrom('2026-08-21T10:00:00+02:00', '2026-08-21t10:00:00.123456789z', '2026-02-30T10:00:00Z'),
)
/** Mostly valid or almost valid values. */
const parameterText = fc.oneof(
  { weight: 4, arbitrary: good },
  {
    weight: 3,
    arbitrary: fc.tuple(good, fc.nat(), fc.string({ maxLength: 2 })).map(([text, at, other]) => {
      const cut = at % (text.length + 1)
      return text.slice(0, cut) + other + text.slice(cut + 1)
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom('', '0', '1001', '1e2', '01', '-1', 'last:0', 'last:10001', '-10', '+1m') },
  { weight: 1, arbitrary: fc.string() },
)

const position = fc.constantFrom('latest', 'earliest', 'last:5', cursor, '-10m', '2026-08-21T10:00:00Z')
const topics = fc.array(fc.constantFrom('a.1_0_0.b_C', 'a.1_0_0.b_D', 'a'), { maxLength: 3 })
const subscribeParams = fc
  .tuple(fc.oneof({ weight: 5, arbitrary: topics }, fc.constantFrom(undefined, 'a', null, [1], [])), fc.nat(9))
  .chain(([names, kind]) =>
    fc.record(
      {
        topics: fc.constant(names),
        from: fc.oneof(
          { weight: 3, arbitrary: position },
          {
            weight: 2,
            arbitrary: fc.record(Object.fromEntries([names ?? []].flat().map((name) => [`${name}`, position])), {
              requiredKeys: [],
            }),
          },
          fc.constantFrom(null, 5, [], { a: 5 }),
        ),
        filter: fc.constantFrom('true', perTopic(names, 'true'), {}, 5, null, ['true'], perTopic(names, 1)),
        fields: fc.constantFrom(['x'], ['x', 'y'], perTopic(names, ['x']), 'x', [], [1], perTopic(names, 'x')),
        onGap: fc.constantFrom('error', 'skip', 'error', 'skip', 'ignore', null),
        ...(kind === 0 && { other: fc.constant(1) }),
      },
      { requiredKeys: ['topics'] },
    ),
  )

function perTopic(names: unknown, value: unknown): Record<string, unknown> {
  return Object.fromEntries([names ?? []].flat().map((name) => [`${name}`, value]))
}
