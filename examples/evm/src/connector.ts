import { type EvmCheckpoint, readBlocks, verifyBlocks } from '@headrace/evm'
import { defineConnector, type Source } from '@headrace/sdk'
import { schema } from './generated/schema.ts'

export default defineConnector({
  schema,
  read: (source: Source<typeof schema, EvmCheckpoint>) => readBlocks(source.config, source),
  verify: (published) => verifyBlocks(published),
})
