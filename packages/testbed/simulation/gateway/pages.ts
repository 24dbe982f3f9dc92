import { decodeCursor } from '../../../catalog/src/index.ts'
import { RefusedError } from '../../../server/src/errors.ts'
import type { World } from '../world/world.ts'
import { ask, type ClientOptions } from './connection.ts'
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

export async function readPage(
  client: ClientOptions,
  place: GatewayPlace,
  query: Readonly<Record<string, string>>,
): Promise<PageJson> {
  const page = JSON.parse(await ask(client, place, (gateway) => gateway.read(topic, query))) as PageJson
  checkOrder(client.world, page, query.order!)
  return page
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
