export { type Block, toBlock } from './block/block.ts'
export type { RpcBlock, RpcHeader } from './block/rpc-block.ts'
export type { Timestamp } from './block/timestamp.ts'
export {
  BlockUnavailableError,
  ChainChangedError,
  evmErrorCodes,
  InvalidAnswerError,
  InvalidBlockRangeError,
  InvalidRpcUrlError,
  RpcError,
  RpcRateLimitedError,
  RpcRefusedError,
  RpcUnavailableError,
} from './errors.ts'
export type { BlockSource, EvmCheckpoint } from './source/block-source.ts'
export { type BlockStep, readBlocks } from './source/read-blocks.ts'
export type { EvmSettings } from './source/settings.ts'
export type { RpcAccessListEntry, RpcAuthorization, RpcTransaction } from './transaction/rpc-transaction.ts'
export { type AccessListEntry, type Authorization, type Transaction, toTransaction } from './transaction/transaction.ts'
