import { AssertionError } from 'node:assert'
import type { Connector, Source, Unit } from '@headrace/sdk'
import {
  assertPublished,
  createScriptedConnector,
  type PublishedRecord,
  readUnits,
  replayRecords,
  testConnector,
} from '@headrace/sdk/testing'
import { describe, expect, test } from 'vitest'
import { chainConnector, type Head, unitOf } from './chain/connector.ts'
import { openChain } from './chain/open.ts'
import { schema } from './chain/schema.ts'
import { parseScript, scriptConnector } from './reverts/script.ts'

const folder = new URL('chain', import.meta.url)
type Chain = Connector<typeof schema, Head>

describe('testConnector', () => {
  test('tests a connector under every fault, and each fault happens', async () => {
    const { faults } = await testConnector({ connector: chainConnector(), folder, settings: { end: 1 } })
    // Two units: blocks with 0 and 1 transactions, each with two checkpoint records.
    expect(faults).toEqual({
      'crash at the opening of the writer': 1,
      'crash at the reading of the checkpoint': 1,
      'crash at begin': 2,
      'crash at a record': 7,
      'crash before a commit': 2,
      'crash after a commit': 2,
      'commit refused': 2,
      'commit refused and not aborted': 2,
      'commit unanswered that did not happen': 2,
      'commit unanswered that did happen': 2,
      'another run takes over': 2,
      'read fails': 2,
    })
  })

  test('tests a connector through reorganisations', async () => {
    // One fault of each kind; reverts.test.ts has each step of a revert.
    const connector = scriptConnector(parseScript('a0 a1 a2 a1<b2 b3 a0<c1'))
    const { faults } = await testConnector({ connector, folder, stride: 100 })
    expect(Object.values(faults)).toEqual(Array.from({ length: 12 }, () => 1))
  })

  test('tests a connector in the states of its source, each of which continues from the previous one', async () => {
    let end = 0
    const entered: number[] = []
    const state = (number: number) => () => {
      entered.push(number)
      end = number
    }
    const growing: Chain = {
      schema,
      async *read({ history }) {
        for (let number = (history()[0]?.number ?? -1) + 1; number <= end; number++) yield unitOf(number)
      },
    }
    await testConnector({ connector: growing, folder, states: [state(1), state(3)], stride: 100 })
    expect(entered.slice(0, 4)).toEqual([1, 3, 1, 3])
  })

  test('tests a source without an end until all units of a state are published', async () => {
    const endless: Chain = {
      schema,
      async *read({ history, signal }) {
        for (let number = (history()[0]?.number ?? -1) + 1; !signal.aborted; number++) yield unitOf(number)
      },
    }
    await testConnector({ connector: endless, folder, until: ({ number }) => number >= 2, stride: 100 })
  })
})

describe('testConnector reports that', () => {
  const wrong: [string, RegExp, (source: Source<typeof schema, Head>) => AsyncGenerator<Unit<typeof schema, Head>>][] =
    [
      [
        'a connector starts again instead of continuing',
        /^Fault: crash at begin, number 2\. The records of "acme.chain.Block" are not those of the units\./,
        async function* () {
          for (let number = 0; number < 3; number++) yield unitOf(number)
        },
      ],
      [
        'a connector continues too late',
        /Fault: .*The records of "acme.chain.Block" are not those of the units\./,
        async function* ({ history }) {
          for (let number = (history()[0]?.number ?? -2) + 2; number < 3; number++) yield unitOf(number)
        },
      ],
      [
        'a connector continues from its own memory, not from its history',
        /Fault: .*The records of "acme.chain.Block" are not those of the units\./,
        remembering(),
      ],
    ]
  test.each(wrong)('%s', async (_, pattern, read) => {
    const failure = await testConnector({ connector: { schema, read }, folder, stride: 1 }).catch((error) => error)
    expect(failure).toBeInstanceOf(AssertionError)
    expect(failure.message).toMatch(pattern)
  })

  test('a fault does not happen', async () => {
    let runs = 0
    const shrinking: Chain = {
      schema,
      async *read({ history }) {
        const end = runs === 1 ? 3 : 2
        for (let number = (history()[0]?.number ?? -1) + 1; number < end; number++) yield unitOf(number)
      },
    }
    const testing = testConnector({ connector: shrinking, folder, states: [() => runs++] })
    await expect(testing).rejects.toThrow('Fault: crash at begin, number 3. It did not happen')
  })

  /** A `read` that counts over all its calls, as with a variable outside it. */
  function remembering() {
    let number = 0
    return async function* ({ history }: Source<typeof schema, Head>) {
      if (history().length === 0 && number >= 3) number = 0
      while (number < 3) yield unitOf(number++)
    }
  }
})

describe('assertPublished', () => {
  const units = [0, 1, 2].map(unitOf)
  const published = async (list: readonly Unit<typeof schema, Head>[]) => {
    const project = await openChain()
    await project.run(createScriptedConnector({ schema, units: list }))
    return project
  }

  test('accepts the units that a project has published', async () => {
    await using project = await published(units)
    await assertPublished(project, schema, units)
  })

  test.each<[string, Unit<typeof schema, Head>[], RegExp]>([
    ['lack one', units.slice(0, 2), /The records of "acme.chain.Block"/],
    ['have an additional one', [...units, unitOf(3)], /The records of "acme.chain.Block"/],
    [
      'have one twice',
      [units[0]!, units[1]!, { ...units[1]!, checkpoint: unitOf(9).checkpoint }, units[2]!],
      /records of/,
    ],
    ['are in another order', [units[0]!, units[2]!, units[1]!], /The records of "acme.chain.Block"/],
    ['have one split in two', split(unitOf(2)), /The records of "acme.chain.Transaction"/],
    ['end at another checkpoint', [...units, { checkpoint: { number: 3, hash: '' } }], /newest checkpoint/],
  ])('reports that the published units %s', async (_, list, pattern) => {
    await using project = await published(list)
    await expect(assertPublished(project, schema, units)).rejects.toThrow(pattern)
  })

  function split({ messages, checkpoint }: ReturnType<typeof unitOf>): Unit<typeof schema, Head>[] {
    const first = { checkpoint: { number: -1, hash: '' }, messages: { Block: messages.Block } }
    return [units[0]!, units[1]!, first, { checkpoint, messages: { Transaction: messages.Transaction } }]
  }
})

describe('replayRecords', () => {
  const record = (seq: number, more: Partial<PublishedRecord> = {}): PublishedRecord => ({
    ...{ partition: 0, offset: BigInt(seq), unit: seq + 1, seq, op: 'append', time: new Date(seq) },
    ...{ key: `${seq}`, value: seq, ...more },
  })

  test('returns the canonical records', () => {
    const revert = record(2, { op: 'revert', reverts: 1, key: '1', value: 1 })
    expect(replayRecords([record(0), record(1), revert, record(3)]).map(({ seq }) => seq)).toEqual([0, 3])
  })

  test.each<[string, PublishedRecord[], RegExp]>([
    ['a missing seq', [record(0), record(2)], /Record 1 of partition 0 has another seq/],
    ['a seq twice', [record(0), record(0)], /another seq/],
    ['a decreasing time', [record(0), record(1, { time: new Date(-1) })], /earlier than the one before/],
    ['a decreasing unit', [record(0, { unit: 5 }), record(1)], /of an earlier unit/],
    [
      'a revert of another record than the newest',
      [record(0), record(1), record(2, { op: 'revert', reverts: 0 })],
      /reverts another record than/,
    ],
    ['a revert without a record', [record(0, { op: 'revert', reverts: 0 })], /reverts another record than/],
    ['a revert with another value', [record(0), record(1, { op: 'revert', reverts: 0, key: '0' })], /differs from/],
  ])('reports %s', (_, records, pattern) => {
    expect(() => replayRecords(records)).toThrow(pattern)
  })
})

describe('readUnits', () => {
  test('reads units without a queue, from a history and with settings', async () => {
    const numbers: number[] = []
    const config = { chain: 'test', end: 4 }
    for await (const { checkpoint } of readUnits(chainConnector(), { config, history: [unitOf(1).checkpoint] }))
      numbers.push(checkpoint.number)
    expect(numbers).toEqual([2, 3, 4])
  })

  test('follows reverts in the history', async () => {
    const seen: string[] = []
    const connector = scriptConnector(parseScript('a0 a1 a2 a0<b1 b2'), async (_, { history }) => {
      seen.push(
        history()
          .map(({ name }) => name)
          .join(' '),
      )
    })
    for await (const _ of readUnits(connector, { config: { chain: 'test', end: 0 } }));
    expect(seen).toEqual(['', 'a0', 'a1 a0', 'a2 a1 a0', 'b1 a0'])
  })

  test('aborts the signal of the source when the iteration is left', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const connector = chainConnector((unit, { signal }) => {
      signal.addEventListener('abort', () => resolve())
      return unit
    })
    for await (const _ of readUnits(connector, { config: { chain: 'test', end: 9 } })) break
    await promise
  })

  test('reports a revert to an unknown checkpoint', async () => {
    const units = [{ checkpoint: 1 }, { checkpoint: 2, revertTo: 7 }]
    const reading = async () => {
      const connector = createScriptedConnector({ schema, units })
      for await (const _ of readUnits(connector, { config: { chain: 'test', end: 9 } }));
    }
    await expect(reading()).rejects.toThrow('reverts to the checkpoint 7, which no canonical unit has')
  })
})
