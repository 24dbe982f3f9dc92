import {
  createReaderPosition,
  createRecordRenderer,
  readRecordHeaders,
  type TopicRegistration,
} from '@headrace/catalog'
import type { Queue, QueueRecord, TopicDescription } from '@headrace/queue'
import type { Logger } from 'pino'
import { jsonLine } from '../../output/result.ts'
import { describeRecord, encodeRecords, shorten } from '../../reading/record-format.ts'

export interface RecordLines {
  onStart(): void
  onCommit(commit: { readonly records: number }): void
  end(): Promise<void>
}

export interface RecordLinesOptions {
  readonly queue: Queue
  readonly registrations: readonly TopicRegistration[]
  readonly json: boolean
  readonly width: number
  readonly log: Logger
  print(lines: string): void
}

/** Maximum number of records that are shown per topic and window. Further records are only counted. */
const shownLimit = 10
const windowMs = 1000

/**
 * Prints the records that a run publishes from now on, as the queue stores them. A read that fails is logged, and does
 * not end the run.
 */
export async function createRecordLines(options: RecordLinesOptions): Promise<RecordLines> {
  const { queue, registrations, json, log, print } = options
  const names = registrations.map(({ topic }) => topic)
  const before = await queue.describe(names)
  let topics: Promise<ShownTopic[]> = Promise.resolve([])
  let committed = 0
  let printed = 0
  let work = Promise.resolve()
  let isScheduled = false
  let timer: NodeJS.Timeout | undefined

  return {
    onStart() {
      topics = openTopics()
    },
    onCommit({ records }) {
      committed = records
      if (!isScheduled) work = work.then(showNext)
      isScheduled = true
      timer ??= setTimeout(closeWindow, windowMs)
    },
    async end() {
      clearTimeout(timer)
      await work
      await endWindow()
    },
  }

  async function openTopics(): Promise<ShownTopic[]> {
    try {
      const described = await queue.describe(names)
      return registrations.flatMap((registration) => {
        const now = described.find(({ name }) => name === registration.topic)
        const start = before.find(({ id }) => id === now?.id)
        return now ? [openShownTopic(registration, now, start, options)] : []
      })
    } catch (error) {
      warn(error)
      return []
    }
  }

  async function showNext(): Promise<void> {
    isScheduled = false
    for (const topic of await topics)
      try {
        const records = await topic.readNext()
        printed += records.filter(({ headers }) => readRecordHeaders(headers).reverts === undefined).length
        if (records.length > 0) print(topic.format(records))
      } catch (error) {
        warn(error)
      }
  }

  function closeWindow(): void {
    timer = undefined
    work = work.then(endWindow)
  }

  async function endWindow(): Promise<void> {
    const total = committed
    await showNext()
    const more = total - printed
    for (const topic of await topics) await topic.beginWindow().catch(warn)
    if (more <= 0) return
    printed += more
    print(
      json ? jsonLine({ more }) : `…and ${more.toLocaleString('en-US')} more ${more === 1 ? 'record' : 'records'}\n`,
    )
  }

  function warn(error: unknown): void {
    log.warn({ err: error }, 'published records not shown')
  }
}

type ShownTopic = ReturnType<typeof openShownTopic>

/** Begins at the ends in `start`, an earlier description of the topic, else at the earliest records. */
function openShownTopic(
  registration: TopicRegistration,
  now: TopicDescription,
  start: TopicDescription | undefined,
  { queue, json, width }: RecordLinesOptions,
) {
  const { name, id } = now
  const renderer = createRecordRenderer(registration)
  const partitions = now.partitions.map(({ earliest }, partition) => {
    const end = start?.partitions[partition]?.end
    return { offset: end === undefined || end < earliest ? earliest : end, seq: null }
  })
  const next = partitions.map(({ offset }) => offset)
  const position = createReaderPosition(now, { partitions })
  const shortName = name.slice(name.lastIndexOf('.') + 1)
  let shown = 0

  return {
    async readNext() {
      const wanted = shownLimit - shown
      const found: QueueRecord[] = []
      for (const partition of next.keys()) {
        while (found.length < wanted) {
          const place = { topic: name, topicId: id, partition, offset: next[partition]! }
          const read = await queue.read(place, { maxBytes: readBytes })
          const records = read.batches.flatMap((batch) => [...batch.records()]).slice(0, wanted - found.length)
          found.push(...records)
          next[partition] = found.length < wanted ? read.next : records.at(-1)!.offset + 1n
          if (read.next === read.end) break
        }
      }
      shown += found.length
      return found
    },
    format(records: readonly QueueRecord[]) {
      if (json) return Buffer.from(encodeRecords(renderer, records, position)).toString()
      return records
        .map((record) => `${shorten(`${shortName}  ${describeRecord(renderer, record)}`, width)}\n`)
        .join('')
    },
    /** Skips all records that the topic has now, if the last window reached the limit. */
    async beginWindow() {
      const isFull = shown === shownLimit
      shown = 0
      if (!isFull) return
      const [described] = await queue.describe([name])
      for (const [partition, { end }] of described?.partitions.entries() ?? []) {
        next[partition] = end
        position.move(partition, { offset: end, seq: null })
      }
    },
  }
}

const readBytes = 64 << 10
