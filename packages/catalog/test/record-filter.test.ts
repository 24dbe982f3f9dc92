import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CelScalar, celEnv, celFunc, celMethod, parse, plan } from '@bufbuild/cel'
import { create, type DescMessage, fromBinary } from '@bufbuild/protobuf'
import { TimestampSchema } from '@bufbuild/protobuf/wkt'
import {
  compileProtos,
  createFilterCompiler,
  encodeAt,
  type FilterCompiler,
  InvalidFilterError,
  type RecordFilter,
  type SchemaSet,
  type TopicRegistration,
} from '@headrace/catalog'
import type { QueueRecord } from '@headrace/queue'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createRandom, type Random } from '../../testbed/random.ts'
import { arbitraryMessage } from './support/arbitrary-message.ts'
import { protobufEsJson } from './support/protobuf-es-json.ts'
import { type RecordParts, randomFilter } from './support/random-filter.ts'
import { randomSchema } from './support/random-schema.ts'

/** Of schema, message and filter. `HEADRACE_FAULTS=full npx vitest run packages/catalog/test/record-filter.test.ts` runs them all. */
const triples = { once: 3000, scaled: 20_000, full: 100_000 }[inject('faultScale')]
const messagesOfEach = 20
const filtersOfEach = 5
const { BOOL, BYTES, DYN, STRING, UINT } = CelScalar

describe('filters of random schemas', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headrace-filters-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('agree with CEL on protobuf-es messages', { timeout: 30 * 60_000 }, async () => {
    const random = createRandom(inject('faultSeed'))
    const counts = { compared: 0, matched: 0 }
    while (counts.compared < triples) {
      const proto = withExactFields(randomSchema(random), random)
      const schema = await compile(proto)
      const message = schema.message('random.First')!
      const samples = fc.sample(arbitraryMessage(message), { numRuns: messagesOfEach, seed: random.integer(2 ** 31) })
      const registration = registrationOf(schema, message, random)
      const compiler = createFilterCompiler(registration)
      for (const value of samples) {
        const isDecoded = typeof protobufEsJson(schema, message, value) === 'object'
        const sample = isDecoded ? fromBinary(message, value, { readUnknownFields: false }) : undefined
        const parts = randomParts(registration, random)
        const record = recordOf(parts, value)
        const index = compiler.createIndex()
        const matching = new Set<RecordFilter>()
        for (let count = 0; count < filtersOfEach; count++) {
          const { filter: text, cel } = randomFilter(random, message, sample, { bytes: registration.bytes, parts })
          const what = `${text}\n${cel}\n${Buffer.from(value).toString('hex')}\n${proto}`
          const filter = compileUnlessCostly(compiler, text)
          if (!filter) continue
          const found = filter.matches(record)
          if (found) matching.add(filter)
          index.add(filter)
          expect(compiler.compile(filter.text).text, what).toBe(filter.text)
          if (!sample) continue
          counts.compared++
          if (found) counts.matched++
          const expected = evaluate(schema, cel, sample, parts)
          expect(found, what).toBe(expected)
        }
        expect(new Set(index.match(record))).toEqual(matching)
      }
    }
    expect(counts.matched).toBeGreaterThan(triples * 0.3)
    expect(counts.matched).toBeLessThan(triples * 0.7)
  })

  async function compile(proto: string): Promise<SchemaSet> {
    const file = join(folder, 'random.proto')
    await writeFile(file, proto)
    const { schema, problems } = await compileProtos([file])
    expect(problems, proto).toEqual([])
    return schema!
  }
})

describe('any text', () => {
  const names = [
    'value',
    'key',
    'time',
    'op',
    'unit',
    'an_int32',
    'a_string',
    'some_bytes',
    'inner',
    'inners',
    'labels',
  ]
  const foreign = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'all',
    'map',
    'filter',
    'matches',
    'dyn',
    'type',
  ]
  const functions = [
    'has',
    'exists',
    'size',
    'timestamp',
    'startsWith',
    'endsWith',
    'contains',
    'exists_one',
    'duration',
  ]
  const literals = [
    '1',
    '-1',
    '9'.repeat(400),
    '1.5',
    '1e308',
    '0xff',
    '7u',
    '"a"',
    "'(a+)+$'",
    'b"\\xff"',
    'null',
    'true',
  ]
  const symbols = [
    ...'()[].,!-+*/%?:{}<>="\'\\&|@#$;~`^ \n\t\0é😀\ud800',
    '==',
    '!=',
    '<=',
    '>=',
    '&&',
    '||',
    ' in ',
    '//',
  ]
  const valid = [
    'value.an_int32 == 5 && (value.a_string in ["a", "b"] || !has(value.inner))',
    'value.inners.exists(x, x.children.exists(y, y.name == "a")) && "k" in value.labels',
    'time > timestamp("2026-01-01T00:00:00Z") && value.some_bytes.startsWith(b"\\x00") && op == \'append\'',
    'value.labels["k"] == "v" && size(value.texts) > 0x1 && value.a_double < -1.5e3',
  ]
  const openings = [
    'value.labels[',
    'value.texts.exists(x,',
    'has(value.',
    'size(',
    'int(value.',
    'timestamp(',
    'value.a_string',
  ]
  const piece = fc.constantFrom(...openings, ...names, ...foreign, ...functions, ...literals, ...symbols)
  const nesting = fc.constantFrom(
    ...[
      ['(', ')'],
      ['[', ']'],
      ['!(', ')'],
      ['has(', ')'],
      ['value[', ']'],
      ['{1:', '}'],
      ['f(', ')'],
      ['a?b:', ''],
    ],
    ...[
      ['!', ''],
      ['-', ''],
      ['value.', ''],
      ['.inner', ''],
      ['a||', ''],
      ['a==', ''],
      ['"\\', ''],
      ['//', ''],
      ['1,', ''],
    ],
    ...[
      ['value.inners.exists(x,', ')'],
      ['x.children.exists(x,', ')'],
      ['value.inner.children.exists(x,x.', ')'],
    ],
  )
  const bomb = fc
    .tuple(nesting, fc.constantFrom(...valid, 'value', 'x', ''), fc.nat(1100), fc.nat(1100))
    .map(([[open, close], inside, opened, closed]) => open!.repeat(opened) + inside + close!.repeat(closed))
  const damaged = fc
    .tuple(fc.constantFrom(...valid), fc.array(fc.tuple(fc.nat(), fc.nat(6), piece), { maxLength: 3 }))
    .map(([text, changes]) =>
      changes.reduce((changed, [at, removed, added]) => {
        const place = at % (changed.length + 1)
        return changed.slice(0, place) + added + changed.slice(place + removed)
      }, text),
    )
  const changedTokens = fc
    .tuple(fc.constantFrom(...valid), fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.nat(2), piece), { maxLength: 3 }))
    .map(([text, changes]) => {
      const tokens = text.match(/\w+|"[^"]*"|'[^']*'|[=!<>]=|&&|\|\||\s+|./g)!
      for (const [at, removed, added, other] of changes)
        tokens.splice(at % tokens.length, removed, ...Array<string>(added).fill(other))
      return tokens.join('')
    })
  const texts = fc.oneof(
    { weight: 2, arbitrary: damaged },
    { weight: 4, arbitrary: changedTokens },
    fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
    bomb.map((text) => text.slice(0, 2100)),
    fc.string({ unit: 'binary', maxLength: 300 }),
    piece.map((text) => text.repeat(2048 / text.length)),
  )

  let compiler: FilterCompiler
  let samples: Uint8Array[]
  beforeAll(async () => {
    const root = join(import.meta.dirname, 'protos')
    const { schema } = await compileProtos([join(root, 'wide.proto')], { root })
    const message = schema!.message('headrace.test.wide.Wide')!
    compiler = createFilterCompiler(registrationOf(schema!, message, createRandom(1)))
    samples = fc.sample(arbitraryMessage(message), { numRuns: 25, seed: inject('faultSeed') })
  })
  const parts = { key: 'a', time: { seconds: 1n, nanos: 0 }, op: 'append', unit: 1n }

  it('is a filter or is refused, and a filter never throws', () => {
    let accepted = 0
    const property = fc.property(texts, (text) => {
      let filter: RecordFilter
      try {
        filter = compiler.compile(text)
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidFilterError)
        const { column, message } = error as InvalidFilterError
        expect(column).toBeGreaterThan(0)
        expect(column).toBeLessThanOrEqual(Math.min(text.length, 2048) + 1)
        expect(message.length).toBeLessThan(4000)
        return
      }
      accepted++
      expect(filter.matches(recordOf(parts, samples[0]!))).toBeTypeOf('boolean')
    })
    fc.assert(property, { numRuns: 10_000, seed: inject('faultSeed') })
    expect(accepted).toBeGreaterThan(300)
  })

  it('never throws for a value that is truncated or damaged', () => {
    const random = createRandom(inject('faultSeed'))
    const filters = valid.flatMap((text) => [text, `!(${text})`]).map(compiler.compile)
    const index = compiler.createIndex()
    for (const filter of filters) index.add(filter)
    let matched = 0
    for (const sample of samples)
      for (let length = 0; length < sample.length; length++) {
        const bytes = Uint8Array.from(sample)
        bytes[random.integer(bytes.length)] = random.integer(256)
        for (const value of [sample.subarray(0, length), bytes]) {
          const record = recordOf(parts, value)
          const matching = filters.filter((filter) => filter.matches(record))
          matched += matching.length
          expect(new Set(index.match(record))).toEqual(new Set(matching))
        }
      }
    expect(matched).toBeGreaterThan(20)
  })
})

/** Some random filters are too long, or have too many conditions on items. */
function compileUnlessCostly({ compile }: FilterCompiler, text: string): RecordFilter | undefined {
  try {
    return compile(text)
  } catch (error) {
    if (/at most 32 conditions|At most 2048 are allowed/.test(String(error))) return undefined
    throw new Error(text, { cause: error })
  }
}

/** Errors are no match. */
function evaluate(schema: SchemaSet, cel: string, value: object, { key, time, op, unit }: RecordParts): boolean {
  const env = celEnv({ registry: schema.registry, funcs: functions })
  const ms = create(TimestampSchema, time)
  return plan(env, parse(cel))({ value, key, time: ms, op, unit } as never) === true
}

/** CEL compares texts in the order of code points, cel-es in that of UTF-16. The others are additions to CEL. */
const functions = [
  ...Object.entries({
    '_<_': (order: number) => order < 0,
    '_<=_': (order: number) => order <= 0,
    '_>_': (order: number) => order > 0,
    '_>=_': (order: number) => order >= 0,
  }).map(([name, holds]) =>
    celFunc(name, [STRING, STRING], BOOL, (one, other) => holds(Buffer.compare(Buffer.from(one), Buffer.from(other)))),
  ),
  // cel-es accepts more texts, and no more than 64 bits.
  celFunc('int', [STRING], DYN, (text) => {
    if (!/^-?[0-9]{1,100}$/.test(text)) throw new Error('not an integer')
    return BigInt(text)
  }),
  celFunc('exact', [UINT, BYTES], DYN, ({ value }, bytes) =>
    bytes.length > 0 ? BigInt(`0x${Buffer.from(bytes).toString('hex')}`) : value,
  ),
  celMethod('startsWith', BYTES, [BYTES], BOOL, function (part) {
    return Buffer.from(this).subarray(0, part.length).equals(part)
  }),
  celMethod('endsWith', BYTES, [BYTES], BOOL, function (part) {
    return (
      part.length <= this.length &&
      Buffer.from(this)
        .subarray(this.length - part.length)
        .equals(part)
    )
  }),
  celMethod('contains', BYTES, [BYTES], BOOL, function (part) {
    return Buffer.from(this).includes(Buffer.from(part))
  }),
]

/** Gives some fields a second one for numbers that do not fit. */
function withExactFields(proto: string, random: Random): string {
  let number = 20_000
  return proto.replaceAll(/^ {2}(?:optional )?(?:uint64|fixed64) (\S+) = .*$/gm, (line, name) => {
    return random.integer(2) === 0 ? line : `${line}\n  optional bytes ${name}Exact = ${number++};`
  })
}

function registrationOf(schema: SchemaSet, message: DescMessage, random: Random): TopicRegistration {
  const key = message.fields.find(({ fieldKind, scalar }) => fieldKind === 'scalar' && scalar === 9)?.name
  return {
    topic: 'random.random.1_0_0.random_First',
    lineage: 'random.random.1_0_0',
    instance: 'main',
    connector: { owner: 'random', package: 'random', version: '1.0.0' },
    message: message.typeName,
    descriptors: schema.descriptors,
    bytes: random.pick(['hex', 'base64']),
    partitions: 1,
    ...(key !== undefined && { key }),
  }
}

function randomParts({ key }: TopicRegistration, random: Random): RecordParts {
  const text = random.pick(['', 'a', 'ключ', '0xAB'])
  const ms = random.pick([0, 1, 1_700_000_000_123, random.integer(2 ** 41)])
  return {
    key: random.integer(4) === 0 ? null : key === undefined ? Buffer.from(text) : text,
    time: { seconds: BigInt(Math.floor(ms / 1000)), nanos: (ms % 1000) * 1_000_000 },
    op: random.pick(['append', 'revert']),
    unit: random.integer(4) === 0 ? null : BigInt(random.integer(10)),
  }
}

function recordOf({ key, time, op, unit }: RecordParts, value: Uint8Array): QueueRecord {
  const ms = Number(time.seconds) * 1000 + time.nanos / 1_000_000
  const headers = [{ key: 'op', value: Buffer.from(op) }]
  if (unit !== null) headers.push({ key: 'at', value: Buffer.from(encodeAt(Number(unit), 5)) })
  return { topic: 't', partition: 0, offset: 1n, time: ms, key: key === null ? null : Buffer.from(key), headers, value }
}
