import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type AnyUnit, type Connector, defineConnector } from '@headrace/sdk'
import { createTestProject, type TestProject } from '@headrace/sdk/testing'
import { createGateway, createKey, type Gateway } from '@headrace/server'
import { pino } from 'pino'

export interface Market extends AsyncDisposable {
  readonly project: TestProject
  readonly trades: string
  readonly levels: string
  readonly gateway: Gateway
  readonly key: string
}

/** Number of trades. The last one is reverted, and published again with another price. */
export const trades = 4

/**
 * A project whose records have imports, nested messages, maps, enums and times, published to a Kafka and served. While the
 * gateway runs, the schema changes: one more trade has a note, and the messages have other places in their file.
 */
export async function publishMarket(kafka: string): Promise<Market> {
  const market = Array.from(randomBytes(12), (byte) => String.fromCharCode(97 + (byte % 26))).join('')
  const project = await createTestProject(new URL('market/', import.meta.url), {
    queue: `kafka://${kafka}`,
    settings: { market },
  })
  await project.run(marketConnector(project, publishTrades))
  const { key } = await createKey(project.queue, { name: market, environment: 'development', topics: [`*${market}*`] })
  const gateway = await createGateway({ queue: project.queue, port: 0, log: pino({ enabled: false }) })
  const folder = await changeMarket()
  const changed = await project.openOther(folder, { settings: { market } })
  await changed.run(marketConnector(changed, (unit) => [unit(trades + 1, 500, { note: 'new' })]))
  await rm(folder, { recursive: true })
  const topic = (name: string) => project.instance.topics.find(({ message }) => message.endsWith(name))!.name
  return {
    ...{ project, gateway, key },
    trades: topic('Trade'),
    levels: topic('Level'),
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await project.close()
    },
  }
}

/** A copy of the project with a changed schema. */
async function changeMarket(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-market-'))
  await cp(new URL('market/', import.meta.url), folder, { recursive: true })
  const file = join(folder, 'proto/market.proto')
  const proto = await readFile(file, 'utf8')
  const changed = proto.replace('Side side = 5;', 'Side side = 5;\n  string note = 6;')
  await writeFile(file, changed.replace('// The changes', 'message Opening {}\n\n// The changes'))
  return folder
}

type MakeUnit = (id: number, cents: number, others?: object) => AnyUnit

function publishTrades(unit: MakeUnit): AnyUnit[] {
  const units = Array.from({ length: trades }, (_, index) => unit(index + 1, (index + 1) * 100))
  return [...units, { ...unit(trades, 999), revertTo: trades - 1 }]
}

function marketConnector({ project }: TestProject, units: (unit: MakeUnit) => readonly AnyUnit[]): Connector {
  const encode = (name: string, fields: object) => {
    const message: DescMessage = project.schema.message(`acme.market.${name}`)!
    return toBinary(message, create(message, fields as MessageInitShape<DescMessage>))
  }
  const unit: MakeUnit = (id, cents, others = {}) => {
    const price = { currency: 'EUR', cents: BigInt(cents) }
    const time = { seconds: BigInt(1_800_000_000 + id), nanos: 0 }
    const trade = { id: BigInt(id), time, price, tags: { venue: `v${id}` }, side: 1, ...others }
    return {
      checkpoint: id,
      messages: { Trade: [encode('Trade', trade)], Level: [encode('Book.Level', { depth: id, price })] },
    }
  }
  const codecs = Object.entries({ Trade: 'Trade', Level: 'Book.Level' }).map(([short, name]) => [
    short,
    {
      name: `acme.market.${name}`,
      encode: () => {
        throw new Error('Messages are encoded.')
      },
    },
  ])
  return defineConnector({
    schema: { messages: Object.fromEntries(codecs), config: undefined },
    async *read() {
      yield* units(unit)
    },
  })
}
