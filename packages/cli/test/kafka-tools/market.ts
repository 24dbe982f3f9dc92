import { randomBytes } from 'node:crypto'
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type Connector, defineConnector } from '@headrace/sdk'
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

/** A project whose records have imports, nested messages, maps, enums and times, published to a Kafka and served. */
export async function publishMarket(kafka: string): Promise<Market> {
  const market = Array.from(randomBytes(12), (byte) => String.fromCharCode(97 + (byte % 26))).join('')
  const project = await createTestProject(new URL('market/', import.meta.url), {
    queue: `kafka://${kafka}`,
    settings: { market },
  })
  await project.run(marketConnector(project))
  const { key } = await createKey(project.queue, { name: market, environment: 'development', topics: [`*${market}*`] })
  const gateway = await createGateway({ queue: project.queue, port: 0, log: pino({ enabled: false }) })
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

function marketConnector({ project }: TestProject): Connector {
  const encode = (name: string, fields: object) => {
    const message: DescMessage = project.schema.message(`acme.market.${name}`)!
    return toBinary(message, create(message, fields as MessageInitShape<DescMessage>))
  }
  const unit = (id: number, cents: number) => ({
    checkpoint: id,
    messages: {
      Trade: [
        encode('Trade', {
          id: BigInt(id),
          time: { seconds: BigInt(1_800_000_000 + id), nanos: 0 },
          price: { currency: 'EUR', cents: BigInt(cents) },
          tags: { venue: `v${id}` },
          side: 1,
        }),
      ],
      Level: [encode('Book.Level', { depth: id, price: { currency: 'EUR', cents: BigInt(cents) } })],
    },
  })
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
      for (let id = 1; id <= trades; id++) yield unit(id, id * 100)
      yield { ...unit(trades, 999), revertTo: trades - 1 }
    },
  })
}
