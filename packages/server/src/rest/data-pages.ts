import { convertPositionLoss, PositionUnavailableError } from '@headrace/catalog'
import type { ApiContext } from '../api-context.ts'
import { createByteCache } from '../history/byte-cache.ts'
import { type Page, readPage, startOf } from '../history/page.ts'
import { type ContentCoding, compress } from '../representation/content-coding.ts'
import { digestOf, entityTag } from '../representation/entity-tag.ts'
import type { DataQuery } from './data-endpoint.ts'
import { type DataRange, resolveRange } from './data-range.ts'
import { nameOfRange } from './page-name.ts'
import { createSealedPages, type PageHead } from './sealed-pages.ts'
import { sealingRule } from './sealing-rule.ts'

/** Caches whole pages, and each in the codings that clients asked for. A page is valid until the log is truncated. */
export interface DataPages {
  read(topic: string, query: DataQuery, client: PageClient): Promise<SentPage>
}

export type DataPagesOptions = Pick<
  ApiContext,
  'queue' | 'topics' | 'heads' | 'canonicalViews' | 'finals' | 'history' | 'limits' | 'meter'
>

export interface PageClient {
  /** The coding of a body of this length. */
  codingFor(bytes: number): ContentCoding | undefined
  /** Whether the client holds the representation with this entity tag. */
  holds(tag: string): boolean
}

export interface SentPage {
  readonly records: number
  readonly tag: string
  /** Nothing can change it. */
  readonly isSealed: boolean
  readonly coding: ContentCoding | undefined
  /** Absent if the client holds it. */
  readonly body?: Buffer
}

/** Shares of `historyBytes`. */
const [bodyShare, headShare] = [0.25, 0.03]
const mostTries = 3

export function createDataPages(options: DataPagesOptions): DataPages {
  const { topics, finals, history, limits, meter } = options
  const bodies = createByteCache<Buffer>(limits.historyBytes * bodyShare, meter.caches.pages, (body) => body.byteLength)
  const uncounted = { hits: 0, misses: 0, bytes: 0 }
  const heads = createByteCache<PageHead>(limits.historyBytes * headShare, uncounted, ({ name }) => name.length)
  const sealed = createSealedPages(limits.historyBytes * headShare)
  const compressing = new Map<string, Promise<Buffer>>()
  return {
    async read(topic, query, client) {
      for (let tries = 1; ; tries++) {
        const open = await topics.open(topic)
        const generation = history.generationOf(open.topic)
        const known = sealed.find(open, query, generation)
        const sent = known && fromCache(known, client)
        if (sent) return { ...sent, isSealed: true }
        const range = await resolveRange(options, open, query)
        const start = range.order === 'asc' ? startOf(range) : undefined
        try {
          return await convertPositionLoss(open.description, readCached(range, query, client), start)
        } catch (error) {
          // Retention may have removed only offsets without a record.
          const isOvertaken = error instanceof PositionUnavailableError && error.reason === 'retention'
          if (!isOvertaken || tries === mostTries) throw error
        }
      }
    },
  }

  async function readCached(range: DataRange, query: DataQuery, client: PageClient): Promise<SentPage> {
    const { topic } = range
    const generation = history.generationOf(topic)
    const name = nameOfRange(range, query, generation)
    const known = heads.get(name)
    let head = known?.topic === topic ? known : undefined
    if (!head) meter.caches.pages.misses++
    let sent = head && fromCache(head, client)
    if (!head || !sent) {
      const plain = head && bodies.peek(bodyName(head, undefined))
      const made = head && plain ? { head, body: plain } : await assemble(name, range, query)
      head = made.head
      sent = await encode(made.head, made.body, client)
    }
    const isSealed = head.sealing !== undefined && finals.covers(topic, head.sealing.finalSeqs)
    if (isSealed) sealed.add(head, query, generation)
    return { ...sent, isSealed }
  }

  function fromCache(head: PageHead, client: PageClient): Omit<SentPage, 'isSealed'> | undefined {
    const described = describe(head, client)
    if (client.holds(described.tag)) {
      meter.caches.pages.hits++
      return described
    }
    const body = bodies.get(bodyName(head, described.coding))
    return body && { ...described, body }
  }

  async function assemble(name: string, range: DataRange, query: DataQuery): Promise<{ head: PageHead; body: Buffer }> {
    const { topic } = range
    const { pageBytes: maxBytes, examinedRecords: maxExamined } = limits
    const page = await readPage(history, { ...range, limit: query.limit, maxBytes, maxExamined })
    const body = assembleBody(range, page, query)
    const sealing = sealingRule(range, page, query)
    const records = page.records.length
    const head = { name, topic, records, bytes: body.byteLength, digest: digestOf(body), sealing }
    heads.set(name, head)
    return { head, body }
  }

  async function encode(head: PageHead, plain: Buffer, client: PageClient): Promise<Omit<SentPage, 'isSealed'>> {
    const described = describe(head, client)
    if (client.holds(described.tag)) return described
    const { coding } = described
    const name = bodyName(head, coding)
    if (coding !== undefined) return { ...described, body: await compressOnce(name, plain, coding) }
    bodies.set(name, plain)
    return { ...described, body: plain }
  }

  async function compressOnce(name: string, plain: Buffer, coding: ContentCoding): Promise<Buffer> {
    const underWay = compressing.get(name)
    if (underWay) return underWay
    const compressed = compress(plain, coding).finally(() => compressing.delete(name))
    compressing.set(name, compressed)
    const body = await compressed
    bodies.set(name, body)
    return body
  }
}

function describe(
  { records, bytes, digest }: PageHead,
  client: PageClient,
): Pick<SentPage, 'records' | 'coding' | 'tag'> {
  const coding = client.codingFor(bytes)
  return { records, coding, tag: entityTag(digest, coding) }
}

/** The digest, because the page of a name differs between two topics. */
function bodyName({ name, digest }: PageHead, coding: ContentCoding | undefined): string {
  return `${name} ${digest} ${coding ?? ''}`
}

const comma = Buffer.from(',')

/** With `headCursor` in a first page only, so that the others depend on their URL and their records alone. */
function assembleBody({ topic, head }: DataRange, page: Page, { continued }: DataQuery): Buffer {
  const parts: Uint8Array[] = [Buffer.from(`{"topic":"${topic.name}","data":[`)]
  for (const { json } of page.records) {
    if (parts.length > 1) parts.push(comma)
    parts.push(json)
  }
  const { nextCursor, nextSeqs, hasMore } = page
  const seqs = nextSeqs ? `"nextSeqs":${JSON.stringify(nextSeqs)},` : ''
  const headMember = continued ? '' : `"headCursor":"${topic.cursorAt(head)}",`
  parts.push(Buffer.from(`],"nextCursor":"${nextCursor}",${seqs}${headMember}"hasMore":${hasMore}}`))
  return Buffer.concat(parts)
}
