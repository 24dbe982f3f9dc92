import { PositionLostError, type Queue } from '@headrace/queue'
import { expect, test } from 'vitest'
import type { ServedTopic } from '../topics/served-topic.ts'
import type { OpenTopic } from '../topics/topic-directory.ts'
import { createHeads } from './heads.ts'
import { createHistory } from './history.ts'

const topic = {
  ...{ name: 'a.b', id: 'id', partitions: 1 },
  render: ({ offset, seq }: { offset: bigint; seq: number }) => ({
    partition: 0,
    offset,
    seq,
    json: Buffer.from('{}'),
  }),
} as unknown as ServedTopic

/** A topic whose log is what it is set to: the seq at each offset, and the first offset that is kept. */
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
  const history = createHistory({ read } as unknown as Queue, 1 << 20, { hits: 0, misses: 0, bytes: 0 })
  const heads = createHeads(history)
  const describe = () => ({ topic, description: { ...topic, partitions: [bounds()] } }) as unknown as OpenTopic
  const head = async (open = describe()) => (await heads.of(open))[0]!
  const all = async () => {
    const run = await history.after(topic, { partition: 0, from: 0n, to: BigInt(log.seqs.length) })
    return run.records.map(({ seq }) => seq)
  }
  return { log, history, describe, head, all }
}

test('where the end has gone back, what was held is read again', async () => {
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

test('where the end is the same again, the head is found anew once the topic was forgotten', async () => {
  const { log, head, history } = openLog()
  log.seqs = [0, 1, 2]
  expect(await head()).toEqual({ offset: 3n, seq: 3 })
  log.seqs = [0, 1, 9]
  history.forget(topic)
  expect(await head()).toEqual({ offset: 3n, seq: 10 })
})

test('the head of a topic is found where retention has removed records since it was described', async () => {
  const { log, describe, head } = openLog()
  log.seqs = [0, 1, 2]
  const described = describe()
  log.earliest = 2n
  expect(await head(described)).toEqual({ offset: 3n, seq: 3 })
})

test('the head of a topic that retention has emptied since it was described has no seq', async () => {
  const { log, describe, head } = openLog()
  log.seqs = [0, 1, 2]
  const described = describe()
  log.seqs.push(3)
  log.earliest = 4n
  expect(await head(described)).toEqual({ offset: 3n, seq: null })
})

test('who asks for a head that has been truncated since is told what is there', async () => {
  const { log, describe, head, all } = openLog()
  log.seqs = Array.from({ length: 300 }, (_, seq) => seq)
  const before = describe()
  expect(await all()).toHaveLength(256)
  log.seqs = [0, 1, 7]
  await expect(head(before)).rejects.toMatchObject({ code: 'position_unavailable', reason: 'truncated' })
  expect(await all()).toEqual([0, 1, 7])
})
