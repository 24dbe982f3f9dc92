import { type FieldShapes, findMalformed } from '../quantity/field-shape.ts'
import type { RpcHeader } from './rpc-block.ts'

/** The name of a published field of a block that cannot be mapped. Number and the hashes that link it are not looked at. */
export function malformedBlockField(block: RpcHeader): string | undefined {
  return findMalformed(block, blockShapes) ?? (Number(block.timestamp) > lastSecond ? 'timestamp' : undefined)
}

/** The end of the year 9999, where `google.protobuf.Timestamp` ends. */
const lastSecond = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000

const roots = ['stateRoot', 'transactionsRoot', 'receiptsRoot', 'withdrawalsRoot', 'parentBeaconBlockRoot'] as const
const blobGas = ['blobGasUsed', 'excessBlobGas'] as const
const blockShapes: FieldShapes<RpcHeader> = {
  exact: ['difficulty', 'baseFeePerGas'],
  quantities: ['timestamp', 'gasLimit', 'gasUsed', 'nonce', 'size', ...blobGas],
  data: ['sha3Uncles', 'miner', ...roots, 'logsBloom', 'extraData', 'mixHash', 'requestsHash'],
}
