import { UserError } from './errors.ts'

export type QueueAddress =
  | { readonly engine: 'embedded'; readonly directory: string }
  | {
      readonly engine: 'kafka'
      readonly bootstrap: readonly BrokerAddress[]
      /** Path of a `client.properties` file, which is not read here. */
      readonly kafkaConfig?: string
    }

export interface BrokerAddress {
  readonly host: string
  readonly port: number
}

export function formatBroker({ host, port }: BrokerAddress): string {
  return `${host}:${port}`
}

export const defaultQueueUrl = 'embedded:.headrace'

/** @throws {UserError} `invalid_queue_url`, or `invalid_kafka_config`: an embedded queue has none. */
export function parseQueueUrl(url: string, kafkaConfig?: string): QueueAddress {
  const embedded = 'embedded:'
  if (url.startsWith(embedded) && url.length > embedded.length) {
    if (kafkaConfig !== undefined) {
      const found = `"${url}" is an embedded queue, which uses no Kafka configuration (${kafkaConfig})`
      const remedy = 'Remove the configuration, or name a Kafka cluster: kafka://HOST:PORT.'
      throw new UserError('invalid_kafka_config', `${found}. ${remedy}`)
    }
    return { engine: 'embedded', directory: url.slice(embedded.length) }
  }
  const kafka = 'kafka://'
  if (!url.startsWith(kafka)) throw invalidUrl(url.includes('@') ? 'it' : `"${url}"`)
  const bootstrap = parseBrokers(url.slice(kafka.length))
  return { engine: 'kafka', bootstrap, ...(kafkaConfig !== undefined && { kafkaConfig }) }
}

function parseBrokers(list: string): BrokerAddress[] {
  // The URL may contain a password.
  if (list.includes('@')) throw invalidUrl('it has credentials, which belong in a client.properties file, so it')
  return list.split(',').map((broker) => {
    const match = /^(\[[0-9A-Fa-f:.]+\]|[^\s:/?#[\]]+):(\d{1,5})$/.exec(broker)
    const port = Number(match?.[2])
    if (!match || port < 1 || port > 65_535) throw invalidUrl(broker === '' ? `"kafka://${list}"` : `"${broker}"`)
    return { host: match[1]!.replace(/^\[|\]$/g, ''), port }
  })
}

function invalidUrl(found: string): UserError {
  return new UserError(
    'invalid_queue_url',
    `The queue URL cannot be used: ${found} is neither embedded:PATH (a folder, such as ${defaultQueueUrl}) ` +
      'nor kafka://host:port[,host:port].',
  )
}
