import { convertPositionLoss, PositionUnavailableError } from '@headrace/catalog'
import type { ApiContext } from '../api-context.ts'
import { createByteCache } from '../history/byte-cache.ts'
import { type Page, readPage, startOf } from '../history/page.ts'
import type { Place, ServedTopic } from '../topics/served-topic.ts'
import type { DataQuery } from './data-endpoint.ts'
import { type DataRange, resolveRange } from './data-range.ts'

/** Caches whole pages. A page is valid until the log is truncated. */
export interface DataPages {
  read(topic: string, query: DataQuery): Promise<SentPage>
}

export type DataPagesOptions = Pick<
  ApiContext,
  'queue' | 'topics' | 'heads' | 'canonicalViews' | 'history' | 'limits' | 'meter'
>

export interface SentPage {
  readonly topic: ServedTopic
  readonly records: number
  readonly body: Buffer
}

/** A share of `historyBytes`. */
const pageShare = 0.25
const mostTries = 3

export function createDataPages(options: DataPagesOptions): DataPages {
  const { topics, history, limits, meter } = options
  const sizeOf = ({ body }: SentPage) => body.byteLength
  const sent = createByteCache(limits.historyBytes * pageShare, meter.caches.pages, sizeOf)
  return {
    async read(topic, query) {
      for (let tries = 1; ; tries++) {
        const open = await topics.open(topic)
        const range = await resolveRange(options, open, query)
        const start = range.order === 'asc' ? startOf(range) : undefined
        try {
          return await convertPositionLoss(open.description, readCached(range, query.limit), start)
        } catch (error) {
          // Retention may have removed only offsets without a record.
          const isOvertaken = error instanceof PositionUnavailableError && error.reason === 'retention'
          if (!isOvertaken || tries === mostTries) throw error
        }
      }
    },
  }

  async function readCached(range: DataRange, limit: number): Promise<SentPage> {
    const { topic } = range
    const name = `${history.generationOf(topic)} ${nameOf(range, limit)}`
    const known = sent.get(name)
    if (known?.topic === topic) return known
    const page = await readPage(history, {
      ...{ ...range, limit, maxBytes: limits.pageBytes, maxExamined: limits.examinedRecords },
    })
    const made = { topic, records: page.records.length, body: assemble(range, page) }
    sent.set(name, made)
    return made
  }
}

function nameOf(range: DataRange, limit: number): string {
  const { topic, order, from, to, canonical, asOf, head, selection } = range
  const view = canonical ? 'canonical' : 'log'
  const places = [from, to, asOf ?? [], head.partitions].map(placesText)
  return `${topic.name} ${topic.id} ${order} ${limit} ${view} ${places.join(' ')}${selection?.text ?? ''}`
}

function placesText(places: readonly Place[]): string {
  let text = ''
  for (const { offset, seq } of places) text += `${offset}/${seq},`
  return text
}

const comma = Buffer.from(',')

function assemble(range: DataRange, page: Page): Buffer {
  const { topic } = range
  const parts: Uint8Array[] = [Buffer.from(`{"topic":"${topic.name}","data":[`)]
  for (const { json } of page.records) {
    if (parts.length > 1) parts.push(comma)
    parts.push(json)
  }
  const { nextCursor, nextSeqs, hasMore } = page
  const seqs = nextSeqs ? `,"nextSeqs":${JSON.stringify(nextSeqs)}` : ''
  const head = `,"headCursor":"${topic.cursorAt(range.head)}"`
  parts.push(Buffer.from(`],"nextCursor":"${nextCursor}"${seqs}${head},"hasMore":${hasMore}}`))
  return Buffer.concat(parts)
}
