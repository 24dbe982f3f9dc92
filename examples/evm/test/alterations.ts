import type { CopiedRecord, Edit, PublishedCopy } from './altered-copy.ts'

const newestUnit = ({ checkpoints }: PublishedCopy) => Math.max(...checkpoints.map(({ checkpoint }) => checkpoint.unit))

/** The current records of one kind of the last unit but one. */
export function recordsOf(copy: PublishedCopy, message: string): CopiedRecord[] {
  return copy.records.filter((record) => record.message === message && record.unit === newestUnit(copy) - 1)
}

function receiptWithoutLogs(copy: PublishedCopy): CopiedRecord {
  const keys = new Set(recordsOf(copy, 'Log').map(({ key }) => `${key}`))
  return recordsOf(copy, 'Receipt').find(({ key }) => !keys.has(`${key}`))!
}

export function replace(copy: PublishedCopy, old: CopiedRecord, ...others: CopiedRecord[]): PublishedCopy {
  return { ...copy, records: copy.records.flatMap((record) => (record === old ? others : record)) }
}

function change(
  copy: PublishedCopy,
  old: CopiedRecord,
  by: (record: CopiedRecord) => Partial<CopiedRecord>,
): PublishedCopy {
  return replace(copy, old, { ...old, ...by(old) })
}

/** Replaces a record, and changes the later seqs and the checkpoints so that they match. */
function republish(copy: PublishedCopy, old: CopiedRecord, ...others: CopiedRecord[]): PublishedCopy {
  const { message, seq, unit } = old
  const by = others.length - 1
  const shift = (record: CopiedRecord) =>
    record.message === message && record.seq > seq ? { ...record, seq: record.seq + by } : record
  const shifted = copy.records.flatMap((record) =>
    record === old ? others.map((other, index) => ({ ...other, seq: seq + index })) : shift(record),
  )
  return { ...copy, records: shifted, checkpoints: copy.checkpoints.map((one) => addToSeq(one, message, unit, by)) }
}

type StoredCheckpoint = PublishedCopy['checkpoints'][number]

/** The checkpoints from a unit on, with another next seq of one topic. */
function addToSeq(
  { ringPlace, checkpoint }: StoredCheckpoint,
  message: string,
  from: number,
  by: number,
): StoredCheckpoint {
  if (checkpoint.unit < from) return { ringPlace, checkpoint }
  const nextSeq = Object.entries(checkpoint.nextSeq).map(([topic, seqs]) => [
    topic,
    topic.endsWith(`_${message}`) ? seqs.map((seq) => seq + by) : seqs,
  ])
  return { ringPlace, checkpoint: { ...checkpoint, nextSeq: Object.fromEntries(nextSeq) } }
}

/** Changes the newest checkpoint, but not the earlier ones of its unit. */
function changeNewest(copy: PublishedCopy, change: (one: StoredCheckpoint) => StoredCheckpoint): PublishedCopy {
  return { ...copy, checkpoints: copy.checkpoints.map((one) => (one.ringPlace === '' ? change(one) : one)) }
}

function withoutReceipts({ ringPlace, checkpoint }: StoredCheckpoint): StoredCheckpoint {
  const { nextSeq, time, final } = checkpoint
  const empty = (numbers: StoredCheckpoint['checkpoint']['nextSeq']) =>
    Object.fromEntries(Object.entries(numbers).map(([topic, list]) => [topic, topic.endsWith('_Receipt') ? [0] : list]))
  const own = { ...checkpoint, nextSeq: empty(nextSeq), time: empty(time) }
  return { ringPlace, checkpoint: { ...own, final: final && { ...final, nextSeq: empty(final.nextSeq) } } }
}

function swap(copy: PublishedCopy, one: CopiedRecord, other: CopiedRecord): PublishedCopy {
  const first = replace(copy, one, { ...one, key: other.key, value: other.value })
  return replace(first, other, { ...other, key: one.key, value: one.value })
}

function firstRevert({ records }: PublishedCopy): CopiedRecord {
  return records.find(({ message, reverts }) => message === 'Transaction' && reverts !== undefined)!
}

/** Changes the newest interval of a topic, or removes it. */
function changeInterval(
  { intervals, ...copy }: PublishedCopy,
  change: (interval: PublishedCopy['intervals'][number]) => PublishedCopy['intervals'],
): PublishedCopy {
  const newest = intervals.findLast(({ topic }) => topic.endsWith('_Block'))!
  return { ...copy, intervals: intervals.flatMap((interval) => (interval === newest ? change(interval) : interval)) }
}

export type Alter = (copy: PublishedCopy, edit: Edit) => PublishedCopy

/** An alteration, its findings with the chain, and those without the chain if they differ. */
export const alterations: [string, Alter, string[], string[]?][] = [
  [
    'a changed value',
    (copy, edit) => {
      const [, record] = recordsOf(copy, 'Transaction')
      return replace(copy, record!, edit(record!, { Amount: 7n }))
    },
    ['message_differs'],
    [],
  ],
  [
    'a changed value of a log',
    (copy, edit) => {
      const record = copy.records.findLast(({ message }) => message === 'Log')!
      return replace(copy, record, edit(record, { Address: new Uint8Array(20) }))
    },
    ['message_differs'],
    [],
  ],
  ['an omitted transaction', (copy) => republish(copy, recordsOf(copy, 'Transaction')[2]!), ['missing_in_block']],
  ['an omitted receipt', (copy) => republish(copy, receiptWithoutLogs(copy)), ['missing_in_block']],
  [
    'a repeated transaction',
    (copy) => {
      const [record] = recordsOf(copy, 'Transaction')
      return republish(copy, record!, record!, record!)
    },
    ['repeated_in_block'],
  ],
  [
    'two transactions in reverse order',
    (copy) => {
      const [, one, other] = recordsOf(copy, 'Transaction')
      return swap(copy, one!, other!)
    },
    ['out_of_order_in_block'],
  ],
  [
    'a wrong parent',
    (copy, edit) => {
      const [record] = recordsOf(copy, 'Block')
      return replace(copy, record!, edit(record!, { ParentHash: `0x${'a'.repeat(64)}` }))
    },
    ['block_unlinked'],
  ],
  [
    'a wrong number of transactions',
    (copy, edit) => {
      const [record] = recordsOf(copy, 'Block')
      return replace(copy, record!, edit(record!, { TransactionCount: recordsOf(copy, 'Transaction').length - 1 }))
    },
    ['unexpected_in_block'],
  ],
  [
    'no number of transactions',
    (copy, edit) => {
      const [record] = recordsOf(copy, 'Block')
      return replace(copy, record!, edit(record!, { TransactionCount: 0 }))
    },
    ['unexpected_in_block'],
  ],
  [
    'the maximal number of transactions',
    (copy, edit) => {
      const [record] = recordsOf(copy, 'Block')
      return replace(copy, record!, edit(record!, { TransactionCount: 2 ** 32 - 1 }))
    },
    ['missing_in_block'],
  ],
  ...(
    [
      ['Transaction', 'TransactionIndex'],
      ['Receipt', 'TransactionIndex'],
      ['Log', 'LogIndex'],
    ] as const
  ).flatMap(([message, field]): typeof alterations => [
    [
      `a ${message} with the number of another one`,
      (copy, edit) => {
        const record = recordsOf(copy, message).at(-1)!
        return replace(copy, record, edit(record, { [field]: 0 }))
      },
      ['repeated_in_block'],
    ],
    [
      `a ${message} with a number that is too high`,
      (copy, edit) => {
        const [record] = recordsOf(copy, message)
        return replace(copy, record!, edit(record!, { [field]: 2 ** 32 - 1 }))
      },
      ['unexpected_in_block'],
    ],
  ]),
  [
    'a wrong key',
    (copy) => {
      const [record] = recordsOf(copy, 'Transaction')
      return replace(copy, record!, { ...record!, key: Buffer.from('0x00') })
    },
    ['key_wrong'],
  ],
  ['a lost record', (copy) => replace(copy, recordsOf(copy, 'Transaction')[1]!), ['seq_missing']],
  ['a missing revert', (copy) => replace(copy, firstRevert(copy)), ['seq_missing']],
  [
    'a missing last revert',
    (copy) => {
      const { topic, last } = copy.intervals.findLast((interval) => interval.topic.endsWith('_Block'))!
      return replace(copy, copy.records.find(({ message, seq }) => topic.endsWith(`_${message}`) && seq === last)!)
    },
    ['seq_missing'],
  ],
  [
    'a revert of another record',
    (copy) => {
      const revert = firstRevert(copy)
      return replace(copy, revert, { ...revert, reverts: revert.reverts! - 1 })
    },
    ['revert_out_of_order', 'revert_differs'],
  ],
  [
    'a revert with another value',
    (copy, edit) => {
      const revert = firstRevert(copy)
      return replace(copy, revert, edit(revert, { Amount: 7n }))
    },
    ['revert_differs'],
  ],
  [
    'a wrong dead interval',
    (copy) => changeInterval(copy, (one) => [{ ...one, last: one.last + 1 }]),
    ['dead_interval_wrong'],
  ],
  [
    'a dead interval that begins too early',
    (copy) => changeInterval(copy, (one) => [{ ...one, first: one.first - 1 }]),
    ['dead_interval_wrong'],
  ],
  ['a missing dead interval', (copy) => changeInterval(copy, () => []), ['dead_interval_missing']],
  [
    'an additional dead interval',
    (copy) =>
      changeInterval(copy, (one) => [one, { ...one, first: one.last + 2, last: one.last + 2, unit: one.unit + 1 }]),
    ['dead_interval_unexpected'],
  ],
  [
    'a checkpoint of the unit before',
    (copy) =>
      changeNewest(copy, ({ checkpoint, ...one }) => ({
        ...one,
        checkpoint: { ...checkpoint, unit: checkpoint.unit - 1 },
      })),
    ['checkpoint_behind'],
  ],
  [
    'a checkpoint of the unit after',
    (copy) =>
      changeNewest(copy, ({ checkpoint, ...one }) => ({
        ...one,
        checkpoint: { ...checkpoint, unit: checkpoint.unit + 1 },
      })),
    ['checkpoint_wrong'],
  ],
  [
    'a checkpoint with a next seq off by one',
    (copy) => changeNewest(copy, (one) => addToSeq(one, 'Transaction', 0, 1)),
    ['checkpoint_wrong'],
  ],
  ...(
    [
      ['a checkpoint in the ring', 1],
      ['the newest checkpoint', 0],
    ] as const
  ).map(([what, back]): (typeof alterations)[number] => [
    `${what} with the position of another block`,
    (copy) => ({
      ...copy,
      checkpoints: copy.checkpoints.map((one) => {
        if (one.checkpoint.unit !== newestUnit(copy) - back) return one
        const position = { ...(one.checkpoint.position as object), number: 1 }
        return { ...one, checkpoint: { ...one.checkpoint, position } }
      }),
    }),
    ['checkpoint_elsewhere'],
  ]),
  [
    'no receipts, also according to the checkpoints',
    (copy) => ({
      ...copy,
      records: copy.records.filter(({ message }) => message !== 'Receipt'),
      intervals: copy.intervals.filter(({ topic }) => !topic.endsWith('_Receipt')),
      checkpoints: copy.checkpoints.map(withoutReceipts),
    }),
    ['missing_in_block'],
  ],
  [
    'a unit number that decreases',
    (copy) => {
      const record = recordsOf(copy, 'Transaction').at(-1)!
      return replace(copy, record, { ...record, unit: record.unit - 1 })
    },
    ['unit_went_back'],
  ],
  [
    'a time that decreases',
    (copy) => {
      const record = recordsOf(copy, 'Transaction').at(-1)!
      return replace(copy, record, { ...record, time: record.time - 1 })
    },
    ['time_went_back'],
  ],
  // The first record of a unit, and one in the middle.
  ...(['Block', 'Transaction'] as const).flatMap((message): typeof alterations => [
    [
      `a seq of a ${message} that is too high`,
      (copy) =>
        change(copy, recordsOf(copy, message).at(message === 'Block' ? 0 : 1)!, ({ seq }) => ({ seq: seq + 1000 })),
      ['seq_wrong'],
    ],
    [
      `a unit of a ${message} that is too high`,
      (copy) =>
        change(copy, recordsOf(copy, message).at(message === 'Block' ? 0 : 1)!, ({ unit }) => ({ unit: unit + 1000 })),
      ['unit_wrong'],
    ],
    [
      `a time of a ${message} that is too late`,
      (copy) =>
        change(copy, recordsOf(copy, message).at(message === 'Block' ? 0 : 1)!, ({ time }) => ({
          time: time + 1_000_000,
        })),
      ['time_wrong'],
    ],
    [
      `a ${message} with an unreadable header of seq and unit`,
      (copy) =>
        change(copy, recordsOf(copy, message).at(message === 'Block' ? 0 : 1)!, () => ({ at: Buffer.from([0xff]) })),
      ['at_unreadable'],
    ],
  ]),
  [
    'a last record that is too late',
    (copy) =>
      change(copy, copy.records.findLast(({ message }) => message === 'Log')!, ({ time }) => ({ time: time + 9 })),
    ['time_wrong'],
  ],
  [
    'a last record with another seq',
    (copy) =>
      change(copy, copy.records.findLast(({ message }) => message === 'Block')!, ({ seq }) => ({ seq: seq + 9 })),
    ['seq_wrong'],
  ],
  [
    'a revert with an unreadable header of seq and unit',
    (copy) => change(copy, firstRevert(copy), () => ({ at: Buffer.from([0xff]) })),
    ['at_unreadable'],
  ],
  [
    'a record that was published again',
    (copy) => {
      const record = recordsOf(copy, 'Transaction').at(-1)!
      return replace(copy, record, record, record)
    },
    ['seq_repeated'],
  ],
]
