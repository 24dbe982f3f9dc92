import { PositionLostError } from '@headrace/queue'
import { expect, test } from 'vitest'
import type { ServedTopic } from '../topics/served-topic.ts'
import type { OpenTopic } from '../topics/topic-directory.ts'
import { createHeads } from './heads.ts'
import { createHistory } from './history.ts'
import type { RecentReads } from './recent-reads.ts'

const topic = {
  ...{ name: 'a.b', id: 'id', partitions: 1 },
  render: ({ offset, seq }: { offset: bigint; seq: number }) => ({
    partition: 0,
    offset,
    seq,
    json: Buffer.from('{}'),
  }),
} as unknown as ServedTopic

/** A topic with a configurable log: the seq at each offset, and the earliest offset. */
function openLog() {
  const log = { seqs: [] as number[], earliest: 0n }
  const bounds = () => ({ earliest: log.earliest, end: BigInt(log.seqs.length) })
  const read = async ({ offset }: { offset: bigint }) => {
    if (offset < log.earliest || offset > log.seqs.length)
      throw new PositionLostError({ topic: 'a.b', partition: 0, offset }, bounds())
    const records = log.seqs.map((seq, index) => ({ offset: BigInt(index), seq })).slice(Number(offset))
    const end = BigInt(log.seqs.length)
    return { batches: [{ records: () => records }], next: end, end }
  }
  const history = createHistory({ read, forget() {} } as unknown as RecentReads, 1 << 20, {
    hits: 0,
    misses: 0,
    bytes: 0,
  })
  const heads = createHeads(history)
  const describe = () => ({ topic, description: { ...topic, partitions: [bounds()] } }) as unknown as OpenTopic
  const head = async (open = describe()) => (await heads.of(open))[0]!
  const all = async () => {
    const run = await history.after(topic, { partition: 0, from: 0n, to: BigInt(log.seqs.length) })
    return run.records.map(({ seq }) => seq)
  }
  return { log, history, describe, head, all }
}

test('cached records are read again if the end of the log has decreased', async () => {
  const { log, head, all } = openLog()
  log.seqs = [0, 1, 2, 3, 4]
  expect(await head()).toEqual({ offset: 5n, seq: 5 })
  expect(await all()).toEqual([0, 1, 2, 3, 4])
  log.seqs = [0, 1, 7]
  expect(await head()).toEqual({ offset: 3n, seq: 8 })
  log.seqs = [0, 1, 7, 8, 9]
  expect(await head()).toEqual({ offset: 5n, seq: 10 })
  expect(await all()).toEqual([0, 1, 7, 8, 9])
})

test('the head is read again after the topic was removed from the cache, even if the end is the same', async () => {
  const { log, head, history } = openLog()
  log.seqs = [0, 1, 2]
  expect(await head()).toEqual({ offset: 3n, seq: 3 })
  log.seqs = [0, 1, 9]
  history.invalidate(topic)
  expect(await head()).toEqual({ offset: 3n, seq: 10 })
})

test('the head is found if retention has removed records since the description', async () => {
  const { log, describe, head } = openLog()
  log.seqs = [0, 1, 2]
  const described = describe()
  log.earliest = 2n
  expect(await head(described)).toEqual({ offset: 3n, seq: 3 })
})

test('the head of a topic that retention has emptied since the description has no seq', async () => {
  const { log, describe, head } = openLog()
  log.seqs = [0, 1, 2]
  const described = describe()
  log.seqs.push(3)
  log.earliest = 4n
  expect(await head(described)).toEqual({ offset: 3n, seq: null })
})

test('a head that was truncated since the description is refused with the existing end', async () => {
  const { log, describe, head, all } = openLog()
  log.seqs = Array.from({ length: 300 }, (_, seq) => seq)
  const before = describe()
  expect(await all()).toHaveLength(256)
  log.seqs = [0, 1, 7]
  await expect(head(before)).rejects.toMatchObject({ code: 'position_unavailable', reason: 'truncated' })
  expect(await all()).toEqual([0, 1, 7])
})
