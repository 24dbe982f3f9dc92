export type { RpcBlock, RpcHeader } from './block/rpc-block.ts'
export {
  BlockPrunedError,
  BlockUnavailableError,
  ChainChangedError,
  ChainMismatchError,
  ContradictedBlockError,
  evmErrorCodes,
  InvalidAnswerError,
  InvalidBlockRangeError,
  InvalidEventFilterError,
  InvalidRpcUrlError,
  InvalidWsUrlError,
  RpcError,
  RpcOverloadedError,
  RpcRefusedError,
  RpcUnavailableError,
  UnverifiableBlockError,
} from './errors.ts'
export { createLogEncoder, type EncodeLogs } from './events/encode-logs.ts'
export type { ArgumentValue, EventFactory, EventFilter } from './events/event-filter.ts'
export type { EventLog } from './events/event-log.ts'
export { type EventBlock, type EventSettings, type EventStep, readEvents } from './events/read-events.ts'
export { type EvmFindingCode, evmFindingCodes } from './published/published-block.ts'
export { type EvmSchema, type ToMessages, verifyBlocks } from './published/verify-blocks.ts'
export type { RpcLog, RpcReceipt } from './receipt/rpc-receipt.ts'
export type { BlockSource, EvmCheckpoint, EvmSettings } from './source/block-source.ts'
export type { BlockStep, ChainBlock } from './source/block-step.ts'
export { readBlocks } from './source/read-blocks.ts'
export type { RpcAccessListEntry, RpcAuthorization, RpcTransaction } from './transaction/rpc-transaction.ts'
