import type { EvmCheckpoint } from '@headrace/evm'
import { readBlocksOrRecording } from '@headrace/evm/recorded'
import { defineConnector, type Source } from '@headrace/sdk'
import { schema } from './generated/schema.ts'

/** Read if the setting `rpc` is not set. To require `rpc`, use `readBlocks` of @headrace/evm. */
const recording = new URL('../recorded/blocks.json', import.meta.url)

/** Fixed options of reading. To make one a setting, move it to `config` in manifest.yaml. */
const reading = { poll: 1, finality: 'finalized', verify: 'links', receipts: false, logs: false } as const

export default defineConnector({
  schema,
  // A unit is a block: its messages, its checkpoint and, after a reorganisation, the checkpoint to revert to.
  read: (source: Source<typeof schema, EvmCheckpoint>) =>
    readBlocksOrRecording({ ...reading, ...source.config }, source, recording),
})
