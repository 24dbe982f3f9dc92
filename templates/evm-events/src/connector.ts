import { type ChainBlock, type EvmCheckpoint, type RpcLog, toBlock } from '@headrace/evm'
import { readBlocksOrRecording } from '@headrace/evm/recorded'
import { defineConnector, type Messages, type Source, type Units } from '@headrace/sdk'
import { getBytes } from 'ethers'
import { createDecoder, type Decoder } from './decode.ts'
import { events } from './events.ts'
import { type Config, schema } from './generated/schema.ts'

/** Read if the setting `rpc` is not set. To require `rpc`, use `readBlocks` of @headrace/evm. */
const recording = new URL('../recorded/events.json', import.meta.url)

/** Fixed options of reading. To make one a setting, move it to `config` in manifest.yaml. */
const reading = { poll: 1, finality: 'finalized', verify: 'links', receipts: false, logs: true } as const

export default defineConnector({
  schema,
  async *read(source: Source<typeof schema, EvmCheckpoint>): Units<typeof schema, EvmCheckpoint> {
    const isWanted = contractFilter(source.config)
    const decode = createDecoder(events, { skipsOthers: source.config.address === undefined })
    const blocks = readBlocksOrRecording({ ...reading, ...source.config }, source, recording)
    // A unit has the events of a block. `position` has its checkpoint, the position to revert to after a
    // reorganisation, and the final one.
    for await (const { block, receipts, ...position } of blocks)
      yield { ...position, messages: toMessages({ block, receipts }, isWanted, decode) }
  },
})

type ContractFilter = (log: RpcLog) => boolean

/** Selects the logs of the contracts in the setting `address`. */
function contractFilter({ address }: Config): ContractFilter {
  if (address === undefined) return () => true
  const wanted = new Set([address].flat().map((each) => each.toLowerCase()))
  return (log) => wanted.has(log.address.toLowerCase())
}

function toMessages(
  { block, receipts }: ChainBlock,
  isWanted: ContractFilter,
  decode: Decoder,
): Messages<typeof schema> {
  const { ts, Number: BlockNumber, Hash: BlockHash } = toBlock(block)
  const messages: Record<string, object[]> = {}
  for (const { transactionHash: TransactionHash, logs } of receipts)
    for (const log of logs) {
      const event = isWanted(log) ? decode(log, { block: BlockNumber, transaction: TransactionHash }) : undefined
      if (!event) continue
      const place = {
        ts,
        BlockNumber,
        BlockHash,
        TransactionHash,
        LogIndex: Number(log.logIndex),
        Address: getBytes(log.address),
      }
      messages[event.message] ??= []
      messages[event.message]?.push({ ...place, ...event.fields })
    }
  return messages as Messages<typeof schema>
}
