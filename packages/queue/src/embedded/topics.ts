import { randomUUID } from 'node:crypto'
import { TopicMismatchError, UnknownTopicError } from '../errors.ts'
import type { Cleanup, TopicDescription, TopicSpec } from '../queue.ts'
import { type CheckedTopicSpec, checkTopicSpec } from '../topic-spec.ts'
import type { BatchTable } from './batch-table.ts'
import type { Storage } from './storage.ts'
import type { WriteLock } from './write-lock.ts'

export interface Topic {
  readonly id: number
  readonly name: string
  readonly uid: string
  readonly cleanup: Cleanup
  readonly partitions: readonly Partition[]
}

export interface Partition {
  readonly id: number
  readonly topic: string
  readonly number: number
}

export interface TopicTable {
  create(specs: readonly TopicSpec[]): Promise<void>
  describe(names?: readonly string[]): TopicDescription[]
  /** @throws {UnknownTopicError} */
  topic(name: string): Topic
  /** @throws {UnknownTopicError} */
  partition(topic: string, number: number): Partition
  /** Offset of the earliest record that is kept. */
  earliest(partition: Partition): number
  /** Within a write transaction. */
  setEarliest(partition: Partition, offset: number): void
}

export function createTopicTable({ database }: Storage, lock: WriteLock, batches: BatchTable): TopicTable {
  const names = database.prepare('SELECT name FROM topics ORDER BY name')
  const byName = database.prepare('SELECT id, name, uid, cleanup FROM topics WHERE name = ?')
  const partitionIds = database.prepare('SELECT id FROM partitions WHERE topic = ? ORDER BY number')
  const insertTopic = database.prepare('INSERT INTO topics (name, uid, cleanup) VALUES (?, ?, ?)')
  const insertPartition = database.prepare('INSERT INTO partitions (topic, number) VALUES (?, ?)')
  const readEarliest = database.prepare('SELECT earliest FROM partitions WHERE id = ?')
  const writeEarliest = database.prepare('UPDATE partitions SET earliest = ? WHERE id = ?')
  const known = new Map<string, Topic>()

  function allNames(): string[] {
    return (names.all() as unknown as { name: string }[]).map(({ name }) => name)
  }

  function find(name: string): Topic | undefined {
    const found = known.get(name) ?? load(name)
    if (found) known.set(name, found)
    return found
  }

  function load(name: string): Topic | undefined {
    const row = byName.get(name) as unknown as Omit<Topic, 'partitions'> | undefined
    if (row === undefined) return undefined
    const ids = partitionIds.all(row.id) as unknown as { id: number }[]
    return { ...row, partitions: ids.map(({ id }, number) => ({ id, topic: name, number })) }
  }

  function insert({ name, partitions, cleanup }: CheckedTopicSpec): void {
    const { lastInsertRowid } = insertTopic.run(name, randomUUID(), cleanup)
    for (let number = 0; number < partitions; number++) insertPartition.run(lastInsertRowid, number)
  }

  function topic(name: string): Topic {
    const found = find(name)
    if (found === undefined) throw new UnknownTopicError(name)
    return found
  }

  function earliest({ id }: Partition): number {
    return (readEarliest.get(id) as { earliest: number }).earliest
  }

  function boundsOf(partition: Partition): { earliest: bigint; end: bigint } {
    return { earliest: BigInt(earliest(partition)), end: BigInt(batches.end(partition)) }
  }

  return {
    async create(specs) {
      const wanted = specs.map(checkTopicSpec)
      const missing = wanted.filter((spec) => !existsAsWanted(spec, find(spec.name)))
      if (missing.length === 0) return
      await lock.run(() => {
        // Another process, or an earlier spec of this call, may have made it meanwhile.
        for (const spec of missing) if (!existsAsWanted(spec, load(spec.name))) insert(spec)
      })
    },
    describe(wanted) {
      const listed = wanted === undefined ? allNames() : [...new Set(wanted)].toSorted()
      const found = listed.map(find).filter((one) => one !== undefined)
      return found.map(({ name, uid, cleanup, partitions }) => ({
        name,
        id: uid,
        cleanup,
        partitions: partitions.map(boundsOf),
      }))
    },
    topic,
    partition(name, number) {
      const found = topic(name).partitions[number]
      if (found === undefined) throw new UnknownTopicError(name, number)
      return found
    },
    earliest,
    setEarliest: ({ id }, offset) => void writeEarliest.run(offset, id),
  }
}

function existsAsWanted(spec: CheckedTopicSpec, existing: Topic | undefined): boolean {
  if (existing === undefined) return false
  const partitions = existing.partitions.length
  const differences: string[] = []
  if (partitions !== spec.partitions) differences.push(`it has ${partitions} partitions, asked for ${spec.partitions}`)
  if (existing.cleanup !== spec.cleanup) {
    differences.push(`its cleanup is "${existing.cleanup}", asked for "${spec.cleanup}"`)
  }
  if (differences.length > 0) throw new TopicMismatchError(spec.name, differences.join(' and '))
  return true
}
