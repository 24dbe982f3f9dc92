import { convertPositionLoss, PositionUnavailableError } from '@headrace/catalog'
import { type CacheCounts, createByteCache } from '../history/byte-cache.ts'
import type { History } from '../history/history.ts'
import { type Page, readPage } from '../history/page.ts'
import type { Limits } from '../options/limits.ts'
import type { Place, ServedTopic } from '../topics/served-topic.ts'
import type { TopicDirectory } from '../topics/topic-directory.ts'
import type { DataQuery } from './data-endpoint.ts'
import { type DataRange, type DataRangeOptions, resolveRange, startOf } from './data-range.ts'

/** Caches whole pages. A page is valid until the log is truncated. */
export interface DataPages {
  read(range: DataRange, limit: number): Promise<SentPage>
}

export interface SentPage {
  readonly topic: ServedTopic
  readonly records: number
  readonly body: Buffer
}

/** A share of `historyBytes`. */
const pageShare = 0.25

export function createDataPages(history: History, limits: Limits, counts: CacheCounts): DataPages {
  const sent = createByteCache<SentPage>({
    maxBytes: limits.historyBytes * pageShare,
    sizeOf: ({ body }) => body.byteLength,
    counts,
  })
  return {
    async read(range, limit) {
      const { topic } = range
      const name = `${history.generationOf(topic)} ${nameOf(range, limit)}`
      const known = sent.get(name)
      if (known?.topic === topic) return known
      const page = await readPage(history, { ...range, limit, maxBytes: limits.pageBytes })
      const made = { topic, records: page.records.length, body: assemble(range, page) }
      sent.set(name, made)
      return made
    },
  }
}

function nameOf({ topic, order, from, to, canonical, asOf, head }: DataRange, limit: number): string {
  const view = canonical ? 'canonical' : 'log'
  const places = [from, to, asOf ?? [], head.partitions].map(placesText)
  return `${topic.name} ${topic.id} ${order} ${limit} ${view} ${places.join(' ')}`
}

function placesText(places: readonly Place[]): string {
  let text = ''
  for (const { offset, seq } of places) text += `${offset}/${seq},`
  return text
}

const comma = Buffer.from(',')

function assemble({ topic, head }: DataRange, page: Page): Buffer {
  const parts: Uint8Array[] = [Buffer.from(`{"topic":"${topic.name}","data":[`)]
  for (const { json } of page.records) {
    if (parts.length > 1) parts.push(comma)
    parts.push(json)
  }
  const next = topic.cursorAt(page.next)
  parts.push(Buffer.from(`],"nextCursor":"${next}","headCursor":"${topic.cursorAt(head)}","hasMore":${page.hasMore}}`))
  return Buffer.concat(parts)
}

export interface ReadDataPageOptions extends DataRangeOptions {
  readonly topics: TopicDirectory
  readonly pages: DataPages
}

/** Resolves the range again if retention removes offsets while it reads, since these may have held no record. */
export async function readDataPage(options: ReadDataPageOptions, topic: string, query: DataQuery): Promise<SentPage> {
  for (let tries = 1; ; tries++) {
    const open = await options.topics.open(topic)
    const range = await resolveRange(options, open, query)
    try {
      return await convertPositionLoss(open.description, options.pages.read(range, query.limit), startOf(range))
    } catch (error) {
      const isOvertaken = error instanceof PositionUnavailableError && error.reason === 'retention'
      if (!isOvertaken || tries === mostTries) throw error
    }
  }
}

const mostTries = 3
