import {
  checkpointKey,
  checkpointPartition,
  createSystemTopics,
  decodeCursor,
  encodeAt,
  encodeCheckpoint,
  type Position,
  parsePosition,
  resolvePosition,
  systemTopics,
} from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { beforeEach, describe, expect, it } from 'vitest'
import { createQueue } from './support/queue.ts'

const topic = 'acme.evm.1_0_0.ethereum_Block'
const writerId = 'acme.evm.1_0_0/ethereum'

describe('resolvePosition', () => {
  let queue: Queue

  beforeEach(async () => {
    queue = await createQueue()
    await createSystemTopics(queue)
    await queue.createTopics([{ name: topic }])
  })

  const describeTopic = async () => (await queue.describe([topic]))[0]!
  const resolve = async (position: Position | string) =>
    (
      await resolvePosition(
        queue,
        await describeTopic(),
        typeof position === 'string' ? parsePosition(position) : position,
        { writerId },
      )
    ).partitions[0]!
  const cursorAt = async (offset: bigint, seq: number | null): Promise<Position> => {
    const { id } = await describeTopic()
    return { kind: 'cursor', cursor: { topics: [{ id, topic, partitions: [{ offset, seq }] }] } }
  }
  /** Appends records one second apart. With `foreign`, they are as a foreign producer writes them. */
  const append = (from: number, to: number, foreign = false) =>
    queue.append(
      Array.from({ length: to - from }, (_, index) => ({
        topic,
        key: null,
        value: Buffer.from(`${from + index}`),
        headers: foreign ? [] : [{ key: 'at', value: encodeAt(from + index + 1, from + index) }],
        time: (from + index) * 1000,
      })),
    )
  const setFinal = async (final: { unit: number; nextSeq: Record<string, number[]> } | null) => {
    const writer = await queue.openWriter({ id: writerId, claim: 'one' })
    const transaction = writer.begin()
    transaction.send({
      topic: systemTopics.checkpoints,
      partition: checkpointPartition(writerId),
      key: checkpointKey(writerId),
      value: encodeCheckpoint({ position: 1, unit: 9, previous: 8, nextSeq: { [topic]: [10] }, final, time: {} }),
      time: 0,
    })
    await transaction.commit()
    await writer.close()
  }
  const recordAt = async (offset: bigint) => {
    const { batches } = await queue.read({ topic, partition: 0, offset }, { maxBytes: 1 })
    return Buffer.from(batches[0]?.records().next().value?.value ?? []).toString()
  }

  it('finds the earliest and the latest position', async () => {
    await append(0, 10)
    const { earliest, end } = (await describeTopic()).partitions[0]!
    expect(await resolve('earliest')).toEqual({ offset: earliest, seq: null })
    expect(await resolve('latest')).toEqual({ offset: end, seq: null })
  })

  it('finds a time, and the head for a future time', async () => {
    await append(0, 10)
    expect(await recordAt((await resolve('1970-01-01T00:00:04Z')).offset)).toBe('4')
    expect(await recordAt((await resolve('1970-01-01T00:00:03.001Z')).offset)).toBe('4')
    expect((await resolve('2100-01-01T00:00:00Z')).offset).toBe((await describeTopic()).partitions[0]!.end)
  })

  it.each([false, true])('counts records back from the head (foreign: %s)', async (foreign) => {
    for (let at = 0; at < 30; at += 3) await append(at, at + 3, foreign)
    for (const count of [1, 2, 7, 29])
      expect(await recordAt((await resolve(`last:${count}`)).offset)).toBe(`${30 - count}`)
    expect(await recordAt((await resolve('last:31')).offset)).toBe('0')
    expect((await resolve('last:5')).seq).toBe(foreign ? null : 25)
  })

  it('finds the head of an empty topic for any number of records', async () => {
    expect(await resolve('last:5')).toEqual({ offset: (await describeTopic()).partitions[0]!.end, seq: null })
  })

  it('continues exactly at a cursor', async () => {
    await append(0, 10)
    const { offset } = await resolve('last:4')
    expect(await resolve(await cursorAt(offset, 6))).toEqual({ offset, seq: 6 })
    const { end } = (await describeTopic()).partitions[0]!
    expect(await resolve(await cursorAt(end, 10))).toEqual({ offset: end, seq: 10 })
  })

  it('starts at the earliest record of a partition that is not in the cursor', async () => {
    await append(0, 10)
    const { id, partitions } = await describeTopic()
    const position: Position = { kind: 'cursor', cursor: { topics: [{ id, topic, partitions: [] }] } }
    expect(await resolve(position)).toEqual({ offset: partitions[0]!.earliest, seq: null })
  })

  it('refuses a cursor if a record after it was lost', async () => {
    await append(0, 10)
    const { offset } = await resolve('last:4')
    await expect(resolve(await cursorAt(offset, 5))).rejects.toMatchObject({
      code: 'position_unavailable',
      reason: 'truncated',
      topic,
    })
    const { end } = (await describeTopic()).partitions[0]!
    await expect(resolve(await cursorAt(end + 1n, null))).rejects.toMatchObject({ reason: 'truncated' })
  })

  it('refuses a cursor whose next records retention has removed, and returns the earliest position', async () => {
    for (let at = 0; at < 10; at++) await append(at, at + 1)
    const lost = await cursorAt((await resolve('earliest')).offset, 0)
    await queue.deleteBefore(topic, 0, (await resolve('last:4')).offset)
    const error = await resolve(lost).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'position_unavailable', reason: 'retention' })
    const earliest = await resolve({ kind: 'cursor', cursor: decodeCursor(error.earliest) })
    expect(earliest.offset).toBe((await describeTopic()).partitions[0]!.earliest)
  })

  it('accepts a cursor if retention has removed only offsets without a record', async () => {
    for (let at = 0; at < 10; at++) await append(at, at + 1)
    const { offset } = await resolve('last:4')
    await queue.deleteBefore(topic, 0, offset)
    expect(await resolve(await cursorAt(offset - 1n, 6))).toEqual({ offset, seq: 6 })
    await expect(resolve(await cursorAt(offset - 1n, 5))).rejects.toMatchObject({ reason: 'retention' })
  })

  it('accepts a cursor of an emptied topic if the checkpoint has no record after it', async () => {
    await append(0, 10)
    const { end } = (await describeTopic()).partitions[0]!
    await queue.deleteBefore(topic, 0, end)
    const resolveAt = async (seq: number) => resolve(await cursorAt(end - 1n, seq))
    await expect(resolveAt(10)).rejects.toMatchObject({ reason: 'retention' })
    await setFinal(null)
    expect(await resolveAt(10)).toEqual({ offset: end, seq: 10 })
    await expect(resolveAt(9)).rejects.toMatchObject({ reason: 'retention' })
  })

  it('continues at the offsets of the cursor in partitions without a loss', async () => {
    const name = `${topic}Two`
    await queue.createTopics([{ name, partitions: 2 }])
    for (let at = 0; at < 5; at++)
      await queue.append([0, 1].map((partition) => ({ topic: name, partition, key: null, value: null, time: at })))
    await queue.deleteBefore(name, 1, 4n)
    const [description] = await queue.describe([name])
    const partitions = [2n, 3n].map((offset) => ({ offset, seq: null }))
    const cursor = { topics: [{ id: description!.id, topic: name, partitions }] }
    const error = await resolvePosition(queue, description!, { kind: 'cursor', cursor }).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'position_unavailable', reason: 'retention' })
    expect(decodeCursor(error.earliest).topics[0]!.partitions.map(({ offset }) => offset)).toEqual([2n, 4n])
  })

  it('stays within the described topic for a time that records have reached since', async () => {
    await append(0, 10)
    const description = await describeTopic()
    await append(10, 20)
    const { partitions } = await resolvePosition(queue, description, parsePosition('1970-01-01T00:00:12Z'))
    expect(partitions).toEqual([{ offset: description.partitions[0]!.end, seq: null }])
  })

  it.each(['last:5', 'final'])(
    'returns the earliest record if retention overtakes the search for %s',
    async (position) => {
      for (let at = 0; at < 10; at++) await append(at, at + 1)
      const description = await describeTopic()
      await append(10, 20)
      const { offset } = await resolve('last:2')
      await queue.deleteBefore(topic, 0, offset)
      const resolved = resolvePosition(queue, description, parsePosition(position), { writerId })
      const error = await resolved.catch((thrown) => thrown)
      expect(error).toMatchObject({ code: 'position_unavailable', reason: 'retention' })
      expect(decodeCursor(error.earliest).topics[0]!.partitions).toEqual([{ offset, seq: null }])
    },
  )

  it('refuses a cursor that is older than the re-creation of its topic', async () => {
    await append(0, 10)
    const partitions = [{ offset: 0n, seq: 0 }]
    const position: Position = { kind: 'cursor', cursor: { topics: [{ id: 'another', topic, partitions }] } }
    await expect(resolve(position)).rejects.toMatchObject({ code: 'position_unavailable', reason: 'recreated' })
  })

  it('continues as of the head in a cursor, unless the log was truncated before it', async () => {
    await append(0, 10)
    const { id } = await describeTopic()
    const { offset } = await resolve('last:4')
    const resolveAsOf = async (head: { offset: bigint; seq: number | null }) => {
      const entry = { id, topic, partitions: [{ offset, seq: 6 }], asOf: [head] }
      return resolvePosition(queue, await describeTopic(), { kind: 'cursor', cursor: { topics: [entry] } })
    }
    const { end } = (await describeTopic()).partitions[0]!
    for (const head of [
      { offset: end, seq: 10 },
      { offset: end - 2n, seq: 8 },
    ])
      expect(await resolveAsOf(head)).toEqual({ partitions: [{ offset, seq: 6 }], asOf: [head] })
    for (const head of [
      { offset: end - 2n, seq: 9 },
      { offset: end + 1n, seq: 11 },
    ])
      await expect(resolveAsOf(head)).rejects.toMatchObject({ code: 'position_unavailable', reason: 'truncated' })
  })

  it('counts records back over all partitions together, by time and then by partition', async () => {
    const several = 'acme.evm.1_0_0.ethereum_Log'
    await queue.createTopics([{ name: several, partitions: 3 }])
    const times = [[1, 2, 3, 4], [3, 3, 9], []]
    await queue.append(
      times.flatMap((each, partition) =>
        each.map((time, seq) => ({
          ...{ topic: several, partition, key: null, value: Buffer.alloc(0), time },
          headers: [{ key: 'at', value: encodeAt(1, seq) }],
        })),
      ),
    )
    const [description] = await queue.describe([several])
    const seqsFor = async (count: number) => {
      const { partitions } = await resolvePosition(queue, description!, { kind: 'last', count })
      return partitions.map(({ seq }) => seq)
    }
    expect(await seqsFor(1)).toEqual([null, 2, null])
    expect(await seqsFor(2)).toEqual([3, 2, null])
    expect(await seqsFor(4)).toEqual([3, 0, null])
    expect(await seqsFor(5)).toEqual([2, 0, null])
    expect(await seqsFor(100)).toEqual([0, 0, null])
  })

  it('refuses a cursor of other topics', async () => {
    const position: Position = { kind: 'cursor', cursor: { topics: [{ id: 'x', topic: 'other', partitions: [] }] } }
    await expect(resolve(position)).rejects.toMatchObject({ code: 'invalid_cursor' })
  })

  describe('final', () => {
    it('is the earliest record while nothing is final', async () => {
      await append(0, 10)
      expect(await recordAt((await resolve('final')).offset)).toBe('0')
      await setFinal(null)
      expect(await recordAt((await resolve('final')).offset)).toBe('0')
    })

    it('is after the last final record', async () => {
      for (let at = 0; at < 10; at++) await append(at, at + 1)
      await setFinal({ unit: 7, nextSeq: { [topic]: [7] } })
      expect(await recordAt((await resolve('final')).offset)).toBe('7')
      expect((await resolve('final')).seq).toBe(7)
    })

    it('is the head if all is final', async () => {
      await append(0, 10)
      await setFinal({ unit: 9, nextSeq: { [topic]: [10] } })
      expect(await resolve('final')).toEqual({ offset: (await describeTopic()).partitions[0]!.end, seq: null })
    })

    it('is the end of the described topic, without a seq, if more has become final', async () => {
      await append(0, 10)
      const description = await describeTopic()
      await append(10, 15)
      await setFinal({ unit: 9, nextSeq: { [topic]: [13] } })
      const { partitions } = await resolvePosition(queue, description, { kind: 'final' }, { writerId })
      expect(partitions).toEqual([{ offset: description.partitions[0]!.end, seq: null }])
    })

    it('is unknown for an unregistered topic', async () => {
      await expect(resolvePosition(queue, await describeTopic(), { kind: 'final' })).rejects.toMatchObject({
        code: 'invalid_position',
      })
    })
  })
})
