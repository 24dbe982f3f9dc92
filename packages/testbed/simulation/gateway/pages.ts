import { decodeCursor } from '../../../catalog/src/index.ts'
import { RefusedError } from '../../../server/src/errors.ts'
import type { World } from '../world/world.ts'
import { ask, type ClientOptions, NoReplyError, type SealedRecords } from './connection.ts'
import type { GatewayPlace } from './gateways.ts'
import { topic } from './ledger.ts'
import type { LogTruth } from './log-truth.ts'
import type { RecordJson } from './reader-oracle.ts'

/** A page of history, as a client gets it. */
export interface PageJson {
  readonly data: readonly RecordJson[]
  readonly nextCursor: string
  readonly headCursor: string
  readonly hasMore: boolean
}

/** Of a gateway to brokers, to describe three partitions and to read pieces of each. */
const requestsOfPage = 20

export async function readPage(
  client: ClientOptions,
  place: GatewayPlace,
  query: Readonly<Record<string, string>>,
): Promise<PageJson> {
  client.world.allowRequests(requestsOfPage)
  const { text, isSealed } = await ask(client, place, (gateway) => gateway.read(topic, query))
  const page = JSON.parse(text) as PageJson
  checkOrder(client.world, page, query.order!)
  const name = JSON.stringify(query)
  const records = page.data.map(({ partition, seq }) => ({ partition, seq: Number(seq) }))
  checkSealed(client, client.sealed.get(name), records)
  if (isSealed) client.sealed.set(name, records)
  return page
}

/** Reads every sealed page again. */
export async function readSealed(client: ClientOptions, gateways: readonly GatewayPlace[]): Promise<void> {
  const { world, sealed } = client
  world.note(client.client.name, `reads ${sealed.size} sealed pages again`)
  for (const name of sealed.keys())
    for (const place of gateways)
      await readPage(client, place, JSON.parse(name)).catch((error: unknown) => {
        // Retention may have removed the page, and a gateway may be restarting.
        if (!(error instanceof RefusedError || error instanceof NoReplyError)) throw error
      })
}

/** Gateways end pages at different sizes, and a replaced, isolated leader may not have all of the records. */
function checkSealed({ world, truth }: ClientOptions, sealed: SealedRecords | undefined, records: SealedRecords): void {
  if (!sealed) return
  const { kept } = truth.now()
  const namesOf = (list: SealedRecords) =>
    list.filter(({ partition, seq }) => seq >= kept[partition]!).map(({ partition, seq }) => `${partition}:${seq}`)
  const [before, now] = [namesOf(sealed), namesOf(records)]
  for (const [index, name] of before.slice(0, now.length).entries())
    if (name !== now[index]) world.fail(`a sealed page had ${before} and has ${now}`)
}

/** Partitions are merged by time, and for equal times by number. */
function checkOrder(world: World, { data }: PageJson, order: string): void {
  const records = order === 'asc' ? data : data.toReversed()
  for (const [index, record] of records.entries()) {
    const before = records[index - 1]
    if (!before) continue
    const wrong = Date.parse(before.time) - Date.parse(record.time) || before.partition - record.partition
    if (wrong > 0) world.fail(`a page has ${record.partition}:${record.seq} after ${before.partition}:${before.seq}`)
  }
}

export interface WalkOptions {
  readonly world: World
  readonly truth: LogTruth
  readonly isStaleSince: (ms: number) => boolean
  readonly client: ClientOptions
  readonly reader: string
}

/** Reads history from the head to its start, and checks it. */
export async function walkBack(
  { world, truth, isStaleSince, client, reader }: WalkOptions,
  place: GatewayPlace,
): Promise<void> {
  const { plan } = truth
  const before = truth.now()
  const beganAt = world.now()
  const view = world.random.pick(['canonical', 'log'])
  const limit = `${3 + world.random.integer(8)}`
  world.note(reader, `walks back through what is ${view} at ${place.name}`)
  let next: number[] | undefined
  let asOf: readonly number[] = []
  const isPassed = (partition: number, low: number): boolean => {
    for (let seq = low; seq < next![partition]!; seq++)
      if (view === 'log' || !plan.isDead(partition, seq, asOf[partition]!)) return false
    return true
  }
  for (let query: Record<string, string> = { order: 'desc', view, limit }; ; ) {
    const page = await readPage(client, place, query).catch((error: unknown) => {
      if (!(error instanceof RefusedError) || error.code !== 'position_unavailable') throw error
      if (`${truth.now().kept}` === `${before.kept}`)
        world.fail(`${reader} is told that history is lost (${error.members.reason}), and none is`)
    })
    if (!page) return
    if (!next) {
      const { shown } = truth.now()
      const heads = decodeCursor(page.headCursor).topics[0]!.partitions
      asOf = heads.map(({ offset }, partition) => truth.seqAt(partition, offset))
      next = [...asOf]
      for (const [partition, seq] of next.entries())
        if (seq > shown[partition]! || (seq < before.shown[partition]! && !isStaleSince(beganAt)))
          world.fail(`${reader} is given the head ${seq} of partition ${partition} while ${shown} are shown`)
    }
    world.note(reader, () => `reads back ${page.data.map(({ partition, seq }) => `${partition}:${seq}`).join(' ')}`)
    for (const { partition, seq: text } of page.data) {
      const seq = Number(text)
      if (seq >= next[partition]! || !isPassed(partition, seq + 1))
        world.fail(`${reader} is given ${seq} of partition ${partition} before ${next[partition]} of what is ${view}`)
      if (view === 'canonical' && plan.isDead(partition, seq, asOf[partition]!))
        world.fail(`${reader} is given ${seq} of partition ${partition}, which was reverted as of ${asOf}`)
      next[partition] = seq
    }
    if (!page.hasMore) {
      const { kept } = truth.now()
      for (const partition of next.keys())
        if (!isPassed(partition, kept[partition]!))
          world.fail(`${reader} is at the beginning of history, and partition ${partition} has some before ${next}`)
      return
    }
    query = { ...query, cursor: page.nextCursor }
  }
}
