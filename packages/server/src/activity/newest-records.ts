import { type FoundRecord, findLast } from '@headrace/catalog'
import { HeadraceError, PositionLostError, type Queue, type TopicDescription, UnknownTopicError } from '@headrace/queue'

/** The newest record of a topic, and how many were published. */
export interface TopicEnd {
  /** Another one after the topic was created again. */
  readonly id: string
  readonly partitions: number
  /** Removed ones included. `undefined` if a partition has records without a seq. */
  readonly records: number | undefined
  /** `undefined` if the topic is empty. */
  readonly newest: Pick<FoundRecord, 'time' | 'unit'> | undefined
}

export interface NewestRecords {
  /** Reads only the partitions whose bounds have changed. A topic that cannot be read keeps what was known of it. */
  update(descriptions: readonly TopicDescription[]): Promise<void>
  of(topic: string): TopicEnd | undefined
  keepOnly(topics: ReadonlySet<string>): void
}

interface PartitionEnd {
  readonly earliest: bigint
  readonly end: bigint
  readonly newest: FoundRecord | undefined
  /** After the newest record, existing or not. `null` if it is not known. */
  readonly nextSeq: number | null
}

interface KnownTopic {
  readonly id: string
  readonly partitions: readonly PartitionEnd[]
  readonly end: TopicEnd
}

const concurrentReads = 8

export function createNewestRecords(queue: Queue): NewestRecords {
  const known = new Map<string, KnownTopic>()
  return {
    async update(descriptions) {
      const changed = descriptions.filter((description) => !isSame(known.get(description.name), description))
      const next = changed.values()
      await Promise.all(Array.from({ length: concurrentReads }, () => updateEach(next)))
    },
    of: (topic) => known.get(topic)?.end,
    keepOnly(topics) {
      for (const topic of known.keys()) if (!topics.has(topic)) known.delete(topic)
    },
  }

  async function updateEach(next: Iterator<TopicDescription> & Iterable<TopicDescription>): Promise<void> {
    for (const description of next) {
      const { name, id } = description
      const before = known.get(name)
      try {
        const partitions = await readEnds(queue, description, before?.id === id ? before.partitions : [])
        known.set(name, { id, partitions, end: { id, partitions: partitions.length, ...summarize(partitions) } })
      } catch (error) {
        if (error instanceof PositionLostError || error instanceof UnknownTopicError) known.delete(name)
        else if (!(error instanceof HeadraceError)) throw error
      }
    }
  }
}

function isSame(known: KnownTopic | undefined, { id, partitions }: TopicDescription): boolean {
  return (
    known?.id === id &&
    known.partitions.length === partitions.length &&
    partitions.every((bounds, partition) => isUnchanged(known.partitions[partition]!, bounds))
  )
}

function isUnchanged(known: PartitionEnd, { earliest, end }: TopicDescription['partitions'][number]): boolean {
  return known.earliest === earliest && known.end === end
}

function readEnds(
  queue: Queue,
  topic: TopicDescription,
  before: readonly PartitionEnd[],
): Promise<readonly PartitionEnd[]> {
  return Promise.all(
    topic.partitions.map(async ({ earliest, end }, partition): Promise<PartitionEnd> => {
      const known = before[partition]
      const { newest: last } = known ?? {}
      // Retention moves the earliest offset only.
      if (known && known.end === end && known.earliest <= earliest)
        return { ...known, earliest, newest: last && last.offset >= earliest ? last : undefined }
      const [newest] = earliest < end ? await findLast(queue, topic, partition, 1) : []
      if (newest) return { earliest, end, newest, nextSeq: newest.seq === null ? null : newest.seq + 1 }
      const isCut = known !== undefined && end < known.end
      return { earliest, end, newest, nextSeq: earliest === 0n ? 0 : isCut ? null : (known?.nextSeq ?? null) }
    }),
  )
}

function summarize(partitions: readonly PartitionEnd[]): Pick<TopicEnd, 'records' | 'newest'> {
  let records: number | undefined = 0
  let found: FoundRecord | undefined
  for (const { newest, nextSeq } of partitions) {
    records = records === undefined || nextSeq === null ? undefined : records + nextSeq
    if (newest && (!found || newest.time > found.time)) found = newest
  }
  return { records, newest: found && { time: found.time, unit: found.unit } }
}
