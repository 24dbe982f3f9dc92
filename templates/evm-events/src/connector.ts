import type { EventFilter, EventStep, EvmCheckpoint } from '@headrace/evm'
import { readEventsOrRecording } from '@headrace/evm/recorded'
import { defineConnector, type Messages, type Source, type Units } from '@headrace/sdk'
import { getBytes } from 'ethers'
import { createDecoder, type Decoder } from './decode.ts'
import { events } from './events.ts'
import { type Config, schema } from './generated/schema.ts'

/** Read if the setting `rpc` is not set. To require `rpc`, use `readEvents` of @headrace/evm. */
const recording = new URL('../recorded/events.json', import.meta.url)

/** Fixed options of reading. To make one a setting, move it to `config` in manifest.yaml. */
const reading = { poll: 1, finality: 'finalized', verify: 'links' } as const

export default defineConnector({
  schema,
  async *read(source: Source<typeof schema, EvmCheckpoint>): Units<typeof schema, EvmCheckpoint> {
    const { config } = source
    const decode = createDecoder(events, { skipsOthers: config.address === undefined })
    const settings = { ...reading, ...config, events: filtersFor(config) }
    // A unit has the events of a block. `position` has its checkpoint, the position to revert to after a
    // reorganisation, and the final one.
    for await (const { block, logs, ...position } of readEventsOrRecording(settings, source, recording))
      yield { ...position, messages: toMessages({ block, logs }, decode) }
  },
})

/**
 * Selects the events in src/events.ts, of the contracts in the setting `address`. A filter may also have `arguments`, or
 * a `factory` whose contracts it selects. An event is published if one of the filters selects it.
 */
function filtersFor({ address }: Config): EventFilter[] {
  return Object.values(events).map((event) => (address === undefined ? { event } : { event, address }))
}

function toMessages({ block, logs }: Pick<EventStep, 'block' | 'logs'>, decode: Decoder): Messages<typeof schema> {
  const messages: Record<string, object[]> = {}
  for (const log of logs) {
    const event = decode(log, { block: block.number, transaction: log.transactionHash })
    if (!event) continue
    const place = {
      ts: { seconds: BigInt(block.timestamp), nanos: 0 },
      BlockNumber: BigInt(block.number),
      BlockHash: block.hash,
      TransactionHash: log.transactionHash,
      LogIndex: Number(log.logIndex),
      Address: getBytes(log.address),
    }
    messages[event.message] ??= []
    messages[event.message]?.push({ ...place, ...event.fields })
  }
  return messages as Messages<typeof schema>
}
