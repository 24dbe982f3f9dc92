import {
  canonicalOf,
  change,
  type Finding,
  type Kind,
  type MessagePartition,
  partitionText,
  recordsOf,
  remove,
  reorder,
  replace,
} from './kind.ts'
import type { PublishedCopy } from './published-copy.ts'

/** Kinds of tampering with the records of one partition. */
export function recordKinds(copy: PublishedCopy, place: MessagePartition): Kind[] {
  const list = recordsOf(copy, place)
  const canonical = canonicalOf(copy, place)
  const count = list.length
  const where = partitionText(place)
  const middle = canonical[Math.floor(canonical.length / 2)]!
  const last = list.at(-1)!
  const before = list[middle.seq - 1]!
  const after = list[middle.seq + 1]!
  const kind = (name: string, tampered: PublishedCopy, ...found: Finding[]): Kind => ({
    ...{ name: `${where}: ${name}`, tamper: () => tampered, found },
  })
  const missing = (first: number) => `seq_missing ${where} ${first}`
  const block = (from: number, to: number) => list.slice(from, to)
  return [
    kind('the first record is removed', remove(copy, list[0]!), missing(0)),
    kind('the first three records are removed', remove(copy, ...block(0, 3)), missing(0)),
    kind('a record is removed', remove(copy, middle), missing(middle.seq)),
    kind('three records are removed', remove(copy, ...block(middle.seq, middle.seq + 3)), missing(middle.seq)),
    kind(
      'three ranges are removed',
      remove(copy, list[0]!, ...block(2, 4), last),
      missing(0),
      missing(2),
      missing(count - 1),
    ),
    kind('the last record is removed', remove(copy, last), missing(count - 1)),
    kind('the last two records are removed', remove(copy, ...block(count - 2, count)), missing(count - 2)),
    kind('all records are removed', remove(copy, ...list), missing(0)),
    kind(
      'all records but one are removed',
      remove(copy, ...list.filter((one) => one !== middle)),
      missing(0),
      missing(middle.seq + 1),
    ),
    kind(
      'a record is duplicated',
      replace(copy, (one) => (one === middle ? [one, one] : [one])),
      `seq_repeated ${where} ${middle.seq}`,
    ),
    kind(
      'the first record is repeated at the end',
      { ...copy, records: [...copy.records, list[0]!] },
      `seq_repeated ${where} 0`,
    ),
    kind('all records are there again', { ...copy, records: [...copy.records, ...list] }, `seq_repeated ${where} 0`),
    kind(
      'a record is repeated in place of the next one',
      replace(copy, (one) => [one === after ? middle : one]),
      `seq_repeated ${where} ${middle.seq}`,
    ),
    kind(
      'two neighbours are swapped',
      reorder(copy, place, (all) => all.with(middle.seq, after).with(middle.seq + 1, middle)),
      `seq_wrong ${where} ${after.seq}`,
    ),
    kind(
      'a record is moved to the end',
      reorder(copy, place, (all) => [...all.toSpliced(middle.seq, 1), middle]),
      missing(middle.seq),
      `seq_repeated ${where} ${middle.seq}`,
    ),
    kind(
      'the last record is moved to the beginning',
      reorder(copy, place, (all) => [last, ...all.slice(0, -1)]),
      `seq_wrong ${where} ${last.seq}`,
    ),
    kind('seq: later', change(copy, middle, { seq: middle.seq + 1000 }), `seq_wrong ${where} ${middle.seq + 1000}`),
    kind(
      'seq: that of the next record',
      change(copy, middle, { seq: middle.seq + 1 }),
      `seq_wrong ${where} ${middle.seq + 1}`,
    ),
    kind(
      'seq: that of the previous record',
      change(copy, middle, { seq: middle.seq - 1 }),
      `seq_repeated ${where} ${middle.seq - 1}`,
    ),
    kind('seq: 0', change(copy, middle, { seq: 0 }), `seq_repeated ${where} 0`),
    kind(
      'seq of the last record: later',
      change(copy, last, { seq: last.seq + 5 }),
      `seq_wrong ${where} ${last.seq + 5}`,
    ),
    kind(
      'the place of a record cannot be read',
      change(copy, middle, { at: Buffer.from([0xff]) }),
      `at_unreadable ${where}`,
    ),
    kind('a record has no place', change(copy, middle, { at: null }), `at_unreadable ${where}`),
    kind(
      'the place of the first record cannot be read',
      change(copy, list[0]!, { at: null }),
      `at_unreadable ${where}`,
    ),
    kind('the place of the last record cannot be read', change(copy, last, { at: null }), `at_unreadable ${where}`),
    kind(
      'a foreign record is added',
      replace(copy, (one) => (one === middle ? [{ ...one, at: null }, one] : [one])),
      `at_unreadable ${where}`,
    ),
    ...(before.unit === middle.unit
      ? []
      : [
          kind(
            'unit: the previous one',
            change(copy, middle, { unit: before.unit }),
            `checkpoint_wrong ${where} u${before.unit}`,
          ),
        ]),
    kind('unit: much later', change(copy, middle, { unit: middle.unit + 1000 }), `unit_wrong ${where} ${middle.seq}`),
    kind('unit: 0', change(copy, middle, { unit: 0 }), `unit_went_back ${where} ${middle.seq}`),
    kind(
      'unit of the last record: later than the checkpoint',
      change(copy, last, { unit: last.unit + 9 }),
      `unit_wrong ${where} ${last.seq}`,
    ),
    kind(
      'time: earlier than the previous record',
      change(copy, middle, { time: before.time - 1 }),
      `time_went_back ${where} ${middle.seq}`,
    ),
    kind('time: 0', change(copy, middle, { time: 0 }), `time_went_back ${where} ${middle.seq}`),
    kind(
      'time: a millisecond later than the message',
      change(copy, middle, { time: middle.time + 1 }),
      `time_wrong ${where} ${middle.seq}`,
    ),
    kind(
      'time: an hour later',
      change(copy, middle, { time: middle.time + 3_600_000 }),
      `time_wrong ${where} ${middle.seq}`,
    ),
    kind(
      'time of the last record: later',
      change(copy, last, { time: last.time + 9 }),
      `time_wrong ${where} ${last.seq}`,
    ),
    kind(
      'the key is another one',
      change(copy, middle, { key: Buffer.from('other') }),
      `key_wrong ${where} ${middle.seq}`,
    ),
    kind('the key is removed', change(copy, middle, { key: null }), `key_wrong ${where} ${middle.seq}`),
    kind(
      'the key is that of another record',
      change(copy, middle, { key: last.key }),
      `key_wrong ${where} ${middle.seq}`,
    ),
    kind(
      'the value is truncated',
      change(copy, middle, { value: middle.value!.subarray(0, -1) }),
      `message_undecodable ${where} ${middle.seq}`,
    ),
    kind(
      'the value is not a message',
      change(copy, middle, { value: Buffer.from([0x07]) }),
      `message_undecodable ${where} ${middle.seq}`,
    ),
    kind('the value is removed', change(copy, middle, { value: null }), `message_not_produced ${where} ${middle.seq}`),
    kind(
      'the value is that of another record',
      change(copy, middle, { value: last.value }),
      `key_wrong ${where} ${middle.seq}`,
    ),
    kind(
      'an error header is added',
      change(copy, middle, { error: 'encode_failed' }),
      `message_not_produced ${where} ${middle.seq}`,
    ),
    kind(
      'a revert does not name a record',
      change(copy, middle, { isBlank: true }),
      `revert_unreadable ${where} ${middle.seq}`,
    ),
  ]
}
