import { isDeepStrictEqual } from 'node:util'
import type { RunningGateway } from './command.ts'

export interface ReadRecord {
  readonly topic: string
  readonly seq: string
  readonly key: string
  readonly op: string
}

interface Page {
  readonly data: ReadRecord[]
  readonly nextCursor: string
  readonly hasMore: boolean
}

type Parameters = Readonly<Record<string, string>>

/** Reads a page, with an API key. */
export async function readPage(gateway: RunningGateway, apiKey: string, topic: string, parameters: Parameters) {
  const response = await request(gateway, apiKey, topic, parameters)
  if (!response.ok)
    throw new Error(`The gateway of ${gateway.version.name} answers ${response.status}: ${await response.text()}`)
  return (await response.json()) as Page
}

export function request(gateway: RunningGateway, apiKey: string, topic: string, parameters: Parameters = {}) {
  const query = new URLSearchParams(parameters)
  return fetch(`${gateway.url}/api/v1/data/${topic}?${query}`, { headers: { authorization: `Bearer ${apiKey}` } })
}

/** Reads all pages, each from the next gateway of the list, with the cursor from the one before. */
export async function readPages(
  gateways: readonly RunningGateway[],
  apiKey: string,
  topic: string,
  parameters: Parameters,
): Promise<ReadRecord[]> {
  const records: ReadRecord[] = []
  let cursor: string | undefined
  for (let page = 0; ; page++) {
    const gateway = gateways[page % gateways.length]!
    const { data, nextCursor, hasMore } = await readPage(gateway, apiKey, topic, {
      ...parameters,
      limit: '25',
      ...(cursor !== undefined && { cursor }),
    })
    records.push(...data)
    if (!hasMore) return records
    cursor = nextCursor
  }
}

/** Of a record, what both gateways know: a newer one may add members. */
export function requireSameRecords(what: string, one: readonly ReadRecord[], other: readonly ReadRecord[]): void {
  if (one.length !== other.length) throw new Error(`${what}: ${one.length} records, and ${other.length}.`)
  for (const [index, record] of one.entries()) {
    const names = Object.keys(record).filter((name) => name in other[index]!)
    const [left, right] = [pick(record, names), pick(other[index]!, names)]
    if (!isDeepStrictEqual(left, right))
      throw new Error(`${what}: record ${index} is ${JSON.stringify(left)}, and ${JSON.stringify(right)}.`)
  }
}

function pick(record: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, (record as Record<string, unknown>)[name]]))
}
