import { type Checkpoint, systemTopics } from '@headrace/catalog'
import {
  canonicalOf,
  change,
  type Finding,
  type Kind,
  type MessagePartition,
  partitionText,
  recordsOf,
  remove,
} from './kind.ts'
import type { CopiedCheckpoint, CopiedRecord, PublishedCopy } from './published-copy.ts'

/** An older backup: the whole copy in its state after a unit. */
export function asOf(copy: PublishedCopy, unit: number): PublishedCopy {
  const checkpoints = copy.checkpoints.filter(({ place, checkpoint }) => place !== undefined && checkpoint.unit <= unit)
  return {
    records: copy.records.filter((record) => record.unit <= unit),
    intervals: copy.intervals.filter((interval) => interval.unit <= unit),
    checkpoints: [...checkpoints, { place: undefined, checkpoint: checkpoints.at(-1)!.checkpoint }],
  }
}

/** As published without a canonical record at the end, or with a further one. */
function republished(copy: PublishedCopy, place: MessagePartition, records: readonly CopiedRecord[]): PublishedCopy {
  const by = records.length - recordsOf(copy, place).length
  const { unit } = copy.checkpoints.at(-1)!.checkpoint
  const isPlace = (topic: string, partition: number) =>
    topic.endsWith(`_${place.message}`) && partition === place.partition
  return {
    ...copy,
    records: [...copy.records.filter((record) => partitionText(record) !== partitionText(place)), ...records],
    checkpoints: copy.checkpoints.map((stored) => {
      if (stored.checkpoint.unit < unit) return stored
      const nextSeq = Object.entries(stored.checkpoint.nextSeq).map(([topic, seqs]) => [
        topic,
        seqs.map((seq, partition) => (isPlace(topic, partition) ? seq + by : seq)),
      ])
      const time = Object.entries(stored.checkpoint.time).map(([topic, times]) => [
        topic,
        times.map((time, partition) => (isPlace(topic, partition) ? records.at(-1)!.time : time)),
      ])
      const numbers = { nextSeq: Object.fromEntries(nextSeq), time: Object.fromEntries(time) }
      return { ...stored, checkpoint: { ...stored.checkpoint, ...numbers } }
    }),
  }
}

/** The newest unit that has no records. */
function emptyUnit({ records, checkpoints }: PublishedCopy): number {
  const units = new Set(records.map(({ unit }) => unit))
  return checkpoints.findLast(({ checkpoint }) => !units.has(checkpoint.unit))!.checkpoint.unit
}

/** Kinds that are not visible, with their entries in the guide. */
export function hiddenKinds(copy: PublishedCopy): Kind[] {
  const ring = copy.checkpoints.filter(({ place }) => place !== undefined)
  const newest = copy.checkpoints.at(-1)!.checkpoint
  const one = ring.at(-3)!
  const early = ring.find(({ checkpoint }) => checkpoint.unit === newest.final!.unit - 2)!
  const hidden = (notVisible: string, name: string, tampered: PublishedCopy, compared: Finding[] = []): Kind => ({
    ...{ name, tamper: () => tampered, found: [], compared, notVisible },
  })
  const alter = (old: CopiedCheckpoint, by: Partial<Checkpoint>) => ({
    ...copy,
    checkpoints: copy.checkpoints.map((stored) =>
      stored === old ? { ...old, checkpoint: { ...old.checkpoint, ...by } } : stored,
    ),
  })
  const block = { message: 'Block', partition: 0 }
  const blocks = recordsOf(copy, block)
  const middle = canonicalOf(copy, block).at(-4)!
  const moved = blocks.find(({ unit }) => unit === early.checkpoint.unit + 1)!
  const afterEmpty = ring.find(({ checkpoint }) => checkpoint.previous === emptyUnit(copy))!
  const last = copy.records.filter(({ unit, message }) => unit === newest.unit && message === 'Transaction').at(-1)!
  const transactions = recordsOf(copy, last)
  const [a, b] = transactions.slice(-2)
  const number = middle.value!.slice()
  number[number.length - 1]! ^= 1
  return [
    hidden(
      'Units without records',
      'a checkpoint skips the previous unit, which has no records',
      alter(afterEmpty, { previous: afterEmpty.checkpoint.previous! - 1 }),
    ),
    hidden('Other topics', 'a dead letter is added', {
      ...copy,
      others: [{ topic: systemTopics.deadLetters, key: null, value: Buffer.from('{'), time: 1 }],
    }),
    {
      ...hidden(
        'Retention',
        'the first records of a topic with a retention are removed, but not by retention',
        remove(copy, ...blocks.slice(0, 3)),
      ),
      hasRetention: true,
    },
    hidden('An older state', 'all topics are in an earlier state', asOf(copy, one.checkpoint.unit - 1)),
    hidden('An older state', 'all topics are in the state before the last unit', asOf(copy, newest.unit - 1)),
    hidden('Values', 'a field has another value', change(copy, middle, { value: number }), [
      `message_differs Block/0 ${middle.seq}`,
    ]),
    hidden('Values', 'a record was never published', republished(copy, last, transactions.slice(0, -1)), [
      `message_missing ${partitionText(last)} u${last.unit}`,
    ]),
    hidden(
      'Values',
      'a record was published twice',
      republished(copy, last, [...transactions, { ...last, seq: last.seq + 1 }]),
      [`message_unexpected ${partitionText(last)} ${last.seq + 1}`],
    ),
    ...(a!.unit === b!.unit
      ? [
          hidden(
            'Values',
            'two records of a unit were published in the other order',
            republished(copy, last, [
              ...transactions.slice(0, -2),
              { ...a!, key: b!.key, value: b!.value },
              { ...b!, key: a!.key, value: a!.value },
            ]),
            [`message_out_of_order ${partitionText(last)} ${a!.seq}`],
          ),
        ]
      : []),
    hidden(
      'Positions',
      'the position of a checkpoint in the ring is another one',
      alter(one, { position: ring[1]!.checkpoint.position }),
    ),
    hidden('Old checkpoints', 'a checkpoint before the final unit is removed', {
      ...copy,
      checkpoints: copy.checkpoints.filter((stored) => stored !== early),
    }),
    hidden(
      'Old checkpoints',
      'a record before the final unit has the number of the previous unit, and its checkpoint is removed',
      {
        ...change(copy, moved, { unit: early.checkpoint.unit }),
        checkpoints: copy.checkpoints.filter((stored) => stored !== early),
      },
      [`message_missing Block/0 u${moved.unit}`, `message_unexpected Block/0 ${moved.seq}`],
    ),
    hidden('Times', 'a record is earlier than its message, and all other records of the unit too', {
      ...copy,
      records: copy.records.map((record) =>
        record.unit === newest.unit ? { ...record, time: record.time - 1 } : record,
      ),
      checkpoints: copy.checkpoints.map((stored) =>
        stored.checkpoint.unit === newest.unit
          ? {
              ...stored,
              checkpoint: {
                ...stored.checkpoint,
                time: Object.fromEntries(
                  Object.entries(stored.checkpoint.time).map(([topic, times]) => [
                    topic,
                    times.map((time) => (time === last.time ? time - 1 : time)),
                  ]),
                ),
              },
            }
          : stored,
      ),
    }),
  ]
}
