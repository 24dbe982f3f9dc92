import { openQueue } from '@headrace/queue'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { type KafkaBroker, startOwnKafka } from '../../../testbed/kafka/start-kafka.ts'
import { createUnitTopics, dataTopics, readCheckpoint, readPartition, valuesUpTo } from '../units.ts'
import { publishUnits } from './unit-publisher.ts'

// The first run downloads the releases.
const timeout = 5 * 60_000

describe.skipIf(inject('kafka') === null)('brokers of older releases', { timeout }, () => {
  let broker: KafkaBroker | undefined

  async function start(version: string): Promise<string> {
    const started = await startOwnKafka({ version })
    if ('unavailable' in started) throw new Error(started.unavailable)
    broker = started
    return `kafka://${broker.bootstrap}`
  }
  afterEach(() => broker?.stop())

  it('are refused before 3.6, where a transaction may never end', async () => {
    const opening = openQueue(await start('3.5.2'))
    await expect(opening).rejects.toThrow(expect.objectContaining({ code: 'unsupported_broker' }))
    await expect(opening).rejects.toThrow(/older than Kafka 3\.6/)
  })

  // Each release is one more download.
  if (inject('faultScale') === 'once') return

  it('are used with the older transaction protocol from 3.6 on', async () => {
    const queue = await openQueue(await start('3.9.1'))
    const [series, upTo] = ['units', 20]
    await createUnitTopics(queue, series)
    const trouble = await publishUnits({ queue, series, upTo, onStep: async () => {} })
    expect(trouble).toEqual({ refused: 0, unknown: 0 })
    expect(await readCheckpoint(queue, series)).toBe(upTo)
    for (const topic of dataTopics(series)) expect(await readPartition(queue, topic)).toEqual(valuesUpTo(upTo))
    await queue.close()
  })
})
