import { setTimeout as delay } from 'node:timers/promises'
import { type Connector, defineConnector } from '@headrace/sdk'
import { canonicalUnits, type TestProject } from '@headrace/sdk/testing'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { createRandom } from '../../testbed/random.ts'
import { chainConnector, unitOf } from './chain/connector.ts'
import { newChain, openChain } from './chain/open.ts'
import type { schema } from './chain/schema.ts'
import { randomScript } from './reverts/random-script.ts'
import { differingScripts, parseScript, type ScriptedUnit, scriptConnector, scripts } from './reverts/script.ts'
import { comparingChain, type VerifyProjectOptions, verifyProject } from './verify-project.ts'

const engines: [string, string | undefined][] = [['embedded', undefined]]
const kafka = inject('kafka')
if (kafka) engines.push(['Kafka', `kafka://${kafka}`])

let project: TestProject
const open = async (queue: string | undefined) => {
  // The broker is shared, so each test has its own topics.
  project = await openChain({ settings: { chain: newChain() }, ...(queue && { queue }) })
}

const verify = <C>(connector: Connector<typeof schema, C>, options?: VerifyProjectOptions) =>
  verifyProject(project, connector, options)

/** Compares each unit with the one of its number in a list. */
const comparing = (units: readonly ScriptedUnit[]) => {
  const canonical = canonicalUnits(units).filter(({ messages }) => messages)
  return defineConnector({
    ...scriptConnector(units),
    async *verify(published) {
      let at = 0
      for await (const unit of published.units) {
        const { messages } = canonical[at++] ?? {}
        if (unit.compare) yield* unit.differences(messages ?? {})
      }
    },
  })
}

describe.each(engines)('on %s', (_, queue) => {
  beforeEach(() => open(queue))
  afterEach(() => project.close())

  test.each(queue === undefined ? scripts : differingScripts)(
    'nothing is found when a source reverts %s',
    async (_, script) => {
      const units = parseScript(script)
      const connector = comparing(units)
      await project.run(connector)
      const { findings, summary } = await verify(connector)
      expect(findings).toEqual([])
      const canonical = canonicalUnits(units).filter(({ messages }) => messages)
      expect(summary).toMatchObject({ lastUnit: units.length, units: canonical.length, compared: canonical.length })
    },
  )

  test('nothing is found during a run', async () => {
    const stop = new AbortController()
    const connector = chainConnector((unit) => delay(1, unit))
    const endless = {
      ...connector,
      read: (source) => connector.read({ ...source, config: { ...source.config, end: Infinity } }),
    } satisfies typeof connector
    const running = project.run(endless, { signal: stop.signal })
    await expect.poll(() => project.storedCheckpoint()).toBeDefined()
    for (let looks = 0; looks < 5; looks++) expect((await verify(connector, { compare: 'none' })).findings).toEqual([])
    stop.abort()
    await running
  })

  // The following tests do not depend on the engine.
  if (queue !== undefined) return

  test('nothing is found after many random reorganisations', async () => {
    const units = randomScript(createRandom(7), 300)
    const connector = comparing(units)
    await project.run(connector)
    expect((await verify(connector)).findings).toEqual([])
  })

  test.each<[string, (unit: ReturnType<typeof unitOf>) => void, string]>([
    [
      'that cannot be encoded',
      ({ messages }) => {
        messages.Block[0]!.Number = -1n
      },
      'encode_failed',
    ],
    [
      'that is too large for its topic',
      ({ messages }) => {
        messages.Transaction[0]!.From = new Uint8Array(40 * 1024 * 1024)
      },
      'record_too_large',
    ],
  ])('a message %s causes only the finding of a record without a value', async (_, makeBad, found) => {
    const withBadMessage = (number: number) => {
      const unit = unitOf(number)
      if (number === 5) makeBad(unit)
      return unit
    }
    const published = chainConnector(({ checkpoint }) => withBadMessage(checkpoint.number))
    await project.run(published)
    const { connector, compared } = comparingChain(published, (number) => withBadMessage(number).messages)
    const { findings } = await verify(connector)
    expect(compared).toHaveLength(21)
    expect(findings).toMatchObject([{ code: 'message_not_produced', unit: 6, found: expect.stringContaining(found) }])
  })

  test('findings of a connector are reported, and units that it does not read are checked too', async () => {
    const connector = chainConnector()
    await project.run(connector)
    const finding = { code: 'page_torn', message: 'It is torn.', source: { page: 3 } }
    const { findings, summary } = await verify({
      ...connector,
      async *verify({ units }) {
        for await (const _ of units) {
          yield finding
          return
        }
      },
    })
    expect(findings).toEqual([finding])
    expect(summary).toMatchObject({ units: 21, compared: 0, findings: 1 })
  })

  test('a difference from the source is found in the topic and partition of its key', async () => {
    const connector = chainConnector()
    await project.run(connector)
    const { findings } = await verify({
      ...connector,
      async *verify({ units }) {
        for await (const unit of units) {
          const { messages } = unitOf(unit.unit - 1)
          const { Block, Transaction } = messages
          if (unit.unit === 4) yield* unit.differences({ Block, Transaction: Transaction.slice(1) })
          if (unit.unit === 8) yield* unit.differences({ Block: [{ ...Block[0]!, Number: 99n }], Transaction })
          if (unit.unit === 10)
            yield* unit.differences({ Block, Transaction: [...Transaction, { ...Transaction[0]!, Hash: 'new' }] })
          if (unit.unit === 11) yield* unit.differences({ Block: [...Block, ...Block], Transaction })
        }
      },
    })
    const transactions = await project.records('Transaction')
    const first = transactions.find(({ key }) => key === unitOf(3).messages.Transaction[0]!.Hash)!
    expect(findings).toMatchObject([
      { code: 'message_unexpected', unit: 4, partition: first.partition, seq: first.seq, found: first.value },
      { code: 'message_differs', unit: 8, partition: 0, seq: 7, expected: { Number: '99' }, found: { Number: '7' } },
      { code: 'message_missing', unit: 10, expected: { Hash: 'new' } },
      { code: 'message_missing', unit: 11, partition: 0, expected: { Number: '10' } },
    ])
  })
})
