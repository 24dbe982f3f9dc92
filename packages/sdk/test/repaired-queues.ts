import { DatabaseSync } from 'node:sqlite'
import { diagnoseQueue } from '@headrace/queue'
import type { TestProject } from '@headrace/sdk/testing'
import { chainConnector } from './chain/connector.ts'
import { openChain } from './chain/open.ts'

/** Records of a partition by seq, inclusive. The seq is also the offset, because the topic contains nothing else. */
export interface SeqRange {
  readonly message: 'Block' | 'Transaction'
  readonly partition: number
  readonly first: number
  readonly last: number
}

/** Damage to the file of a queue with blocks 0 to 59, and the ranges that a repair reports as lost. */
export interface DamagedQueue {
  readonly name: string
  damage(file: DamagedFile): void
  readonly lost: readonly SeqRange[]
}

/** One batch for each block with records in the partition. */
export interface DamagedFile {
  readonly database: DatabaseSync
  /** Row numbers in `bytes` of the batches of a partition, in order. */
  batches(message: SeqRange['message'], partition: number): number[]
  /** Makes batches unreadable. */
  destroy(bytesIds: readonly number[]): void
  /** Removes the row with the end of a partition. */
  removeEnd(message: SeqRange['message'], partition: number): void
}

const blocks = (first: number, last: number): SeqRange => ({ message: 'Block', partition: 0, first, last })

const transactions = (partition: number, first: number, last: number): SeqRange => ({
  ...{ message: 'Transaction', partition, first, last },
})

/** The topics have no retention, and system topics are not damaged. */
export const damagedQueues: readonly DamagedQueue[] = [
  { name: 'none', damage: () => {}, lost: [] },
  { name: 'one block', damage: (file) => file.destroy([file.batches('Block', 0)[30]!]), lost: [blocks(30, 30)] },
  {
    name: 'blocks next to each other',
    damage: (file) => file.destroy(file.batches('Block', 0).slice(12, 20)),
    lost: [blocks(12, 19)],
  },
  {
    name: 'blocks in three places',
    damage: (file) => file.destroy([3, 4, 21, 57].map((at) => file.batches('Block', 0)[at]!)),
    lost: [blocks(3, 4), blocks(21, 21), blocks(57, 57)],
  },
  {
    name: 'the first blocks',
    damage: (file) => file.destroy(file.batches('Block', 0).slice(0, 5)),
    lost: [blocks(0, 4)],
  },
  {
    name: 'the last block',
    damage: (file) => file.destroy(file.batches('Block', 0).slice(-1)),
    lost: [blocks(59, 59)],
  },
  {
    name: 'the last blocks',
    damage: (file) => file.destroy(file.batches('Block', 0).slice(-7)),
    lost: [blocks(53, 59)],
  },
  { name: 'all blocks', damage: (file) => file.destroy(file.batches('Block', 0)), lost: [blocks(0, 59)] },
  {
    name: 'the end of the blocks and the last of them',
    damage(file) {
      file.destroy(file.batches('Block', 0).slice(-2))
      file.removeEnd('Block', 0)
    },
    lost: [blocks(58, 59)],
  },
  { name: 'only the end of the blocks', damage: (file) => file.removeEnd('Block', 0), lost: [] },
  {
    name: 'rows of batches and the bytes of one',
    damage(file) {
      const ids = file.batches('Block', 0)
      file.destroy([ids[9]!])
      for (const id of ids.slice(5, 15)) file.database.exec(`DELETE FROM batches WHERE bytes_id = ${id}`)
    },
    lost: [blocks(9, 9)],
  },
  {
    name: 'the place of all batches and the bytes of one',
    damage(file) {
      file.destroy([file.batches('Block', 0)[40]!])
      file.database.exec('UPDATE bytes SET partition = 3')
    },
    lost: [blocks(40, 40)],
  },
  {
    name: 'transactions in two partitions, and blocks',
    damage(file) {
      file.destroy(file.batches('Transaction', 0).slice(2, 4))
      file.destroy(file.batches('Transaction', 2).slice(-3))
      file.destroy(file.batches('Block', 0).slice(20, 22))
    },
    lost: [blocks(20, 21), transactions(0, 2, 3), transactions(2, 27, 29)],
  },
  {
    name: 'all transactions of a partition',
    damage: (file) => file.destroy(file.batches('Transaction', 1)),
    lost: [transactions(1, 0, 26)],
  },
  {
    name: 'a row of partitions',
    damage: (file) => file.database.exec('DELETE FROM partitions WHERE id = 1'),
    lost: [],
  },
  {
    name: 'both rows of a block, and the row of a writer',
    damage(file) {
      const id = file.batches('Block', 0)[17]!
      file.database.exec(`DELETE FROM batches WHERE bytes_id = ${id}; DELETE FROM bytes WHERE id = ${id}`)
      file.database.exec('UPDATE writers SET epoch = epoch + 1')
    },
    lost: [blocks(17, 17)],
  },
]

/** Publishes the records of the cases, unit by unit. */
export async function publishBlocks(queue: string): Promise<TestProject> {
  const project = await openChain({ queue, settings: { end: 59 } })
  await project.run(chainConnector(), { oneByOne: true })
  return project
}

/** Damages the file of a closed queue. */
export function damageQueue(
  path: string,
  topics: ReadonlyMap<SeqRange['message'], string>,
  { damage }: DamagedQueue,
): void {
  const database = new DatabaseSync(path)
  const idOf = (message: SeqRange['message'], partition: number): number => {
    const select = 'SELECT partitions.id FROM partitions JOIN topics ON topics.id = topic WHERE name = ? AND number = ?'
    return (database.prepare(select).get(topics.get(message)!, partition) as { id: number }).id
  }
  damage({
    database,
    batches(message, partition) {
      const select = 'SELECT bytes_id AS id FROM batches WHERE id >> 43 = ? AND bytes_id > 0 ORDER BY batches.id'
      const rows = database.prepare(select).all(BigInt(idOf(message, partition))) as { id: number }[]
      return rows.map(({ id }) => id)
    },
    destroy(ids) {
      const zero = database.prepare('UPDATE bytes SET bytes = zeroblob(length(bytes)) WHERE id = ?')
      for (const id of ids) zero.run(id)
    },
    removeEnd(message, partition) {
      const remove = database.prepare('DELETE FROM batches WHERE id = (? << 43) + (1 << 43) - 1')
      remove.run(BigInt(idOf(message, partition)))
    },
  })
  database.close()
}

/** Repairs a queue and returns the ranges that it reports as lost, up to `lastSeq` if their end is undetermined. */
export async function repairQueue(
  queue: string,
  topics: ReadonlyMap<SeqRange['message'], string>,
  lastSeq: (message: SeqRange['message'], partition: number) => number,
): Promise<SeqRange[]> {
  const names = new Map([...topics].map(([message, topic]) => [topic, message]))
  const ranges: SeqRange[] = []
  for await (const { lost } of diagnoseQueue(queue, { repair: true })) {
    if (lost === undefined) continue
    const { partition } = lost
    const message = names.get(lost.topic)!
    const last = lost.last === undefined ? lastSeq(message, partition) : Number(lost.last)
    if (last >= Number(lost.first)) ranges.push({ message, partition, first: Number(lost.first), last })
  }
  return ranges
}
