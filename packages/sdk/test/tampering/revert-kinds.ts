import {
  change,
  type Finding,
  type Kind,
  type MessagePartition,
  partitionText,
  recordsOf,
  remove,
  replace,
} from './kind.ts'
import type { CopiedInterval, PublishedCopy } from './published-copy.ts'

/** Kinds of tampering with reverts and reverted intervals. */
export function revertKinds(copy: PublishedCopy, place: MessagePartition): Kind[] {
  const where = partitionText(place)
  const list = recordsOf(copy, place)
  const reverts = list.filter(({ reverts }) => reverts !== undefined)
  const newest = reverts.at(-1)!
  const interval = copy.intervals.findLast(({ last, ...one }) => partitionText(one) === where && last === newest.seq)!
  const run = reverts.filter(({ unit }) => unit === newest.unit)
  const reverted = list.find(({ seq }) => seq === newest.reverts)!
  const withInterval = (...by: CopiedInterval[]): PublishedCopy => ({
    ...copy,
    intervals: copy.intervals.flatMap((one) => (one === interval ? by : [one])),
  })
  const kind = (name: string, tampered: PublishedCopy, ...found: Finding[]): Kind => ({
    ...{ name: `${where}: ${name}`, tamper: () => tampered, found },
  })
  const unit = `${where} u${newest.unit}`
  return [
    kind('a revert is removed', remove(copy, newest), `seq_missing ${where} ${newest.seq}`),
    kind('all reverts of a unit are removed', remove(copy, ...run), `seq_missing ${where} ${run[0]!.seq}`),
    kind('what was reverted is removed', remove(copy, reverted), `seq_missing ${where} ${reverted.seq}`),
    kind(
      'a revert is duplicated',
      replace(copy, (one) => (one === newest ? [one, one] : [one])),
      `seq_repeated ${where} ${newest.seq}`,
    ),
    kind(
      'a revert does not name a record',
      change(copy, newest, { reverts: undefined, isBlank: true }),
      `revert_unreadable ${where} ${newest.seq}`,
    ),
    kind(
      'a revert names another record',
      change(copy, newest, { reverts: newest.reverts! - 1 }),
      `revert_out_of_order ${where} ${newest.seq}`,
    ),
    kind('the place of a revert cannot be read', change(copy, newest, { at: null }), `at_unreadable ${where}`),
    kind(
      'the value of a revert is another one',
      change(copy, newest, { value: Buffer.from([]) }),
      `revert_differs ${where} ${newest.seq}`,
    ),
    kind(
      'the key of a revert is another one',
      change(copy, newest, { key: null }),
      `revert_differs ${where} ${newest.seq}`,
    ),
    kind(
      'the value of a reverted record is another one',
      change(copy, reverted, { value: Buffer.from([]) }),
      `revert_differs ${where} ${newest.seq}`,
    ),
    kind(
      'the time of a revert is later',
      change(copy, newest, { time: newest.time + 1 }),
      `time_wrong ${where} ${newest.seq}`,
    ),
    kind('an interval is removed', withInterval(), `dead_interval_missing ${unit}`),
    kind(
      'an interval begins earlier',
      withInterval({ ...interval, first: interval.first - 1 }),
      `dead_interval_wrong ${unit}`,
    ),
    kind(
      'an interval ends later',
      withInterval({ ...interval, last: interval.last + 1 }),
      `dead_interval_wrong ${unit}`,
    ),
    kind(
      'an interval ends earlier',
      withInterval({ ...interval, last: interval.last - 1 }),
      `dead_interval_wrong ${unit}`,
    ),
    kind(
      'an interval is added',
      withInterval(interval, {
        ...interval,
        first: interval.last + 1,
        last: interval.last + 1,
        unit: interval.unit + 1,
      }),
      `dead_interval_unexpected ${where} u${interval.unit + 1}`,
    ),
    kind(
      'an interval is of a partition that does not exist',
      withInterval(interval, { ...interval, partition: 7 }),
      `dead_interval_unexpected ${place.message}/7 ${unit.split(' ')[1]}`,
    ),
    kind(
      'an interval cannot be read',
      withInterval({ ...interval, raw: '{' }),
      `dead_interval_unreadable ${where}`,
      `dead_interval_missing ${unit}`,
    ),
    kind(
      'an interval has the key of another one',
      withInterval({ ...interval, key: 0 }),
      `dead_interval_unreadable ${where}`,
      `dead_interval_missing ${unit}`,
    ),
  ]
}
