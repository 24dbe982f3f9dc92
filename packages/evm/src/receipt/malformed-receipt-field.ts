import { type FieldShapes, findMalformed, isAddress, isData, isHash } from '../quantity/field-shape.ts'
import type { RpcLog, RpcReceipt } from './rpc-receipt.ts'

/** The name of a published field of a receipt that cannot be mapped. Those that tell its place are not looked at. */
export function malformedReceiptField(receipt: RpcReceipt): string | undefined {
  const name = findMalformed(receipt, receiptShapes)
  if (name) return name
  return Array.isArray(receipt.logs) && receipt.logs.every(isLog) ? undefined : 'logs'
}

const receiptShapes: FieldShapes<RpcReceipt> = {
  exact: ['effectiveGasPrice', 'blobGasPrice'],
  quantities: ['gasUsed', 'cumulativeGasUsed', 'blobGasUsed'],
  uint32s: ['type', 'status'],
  data: ['from', 'to', 'contractAddress', 'root', 'logsBloom'],
}

/** Connectors find the logs that they want by address and topics, so these are read to the last digit. */
function isLog(log: Partial<RpcLog> | null): boolean {
  return isAddress(log?.address) && Array.isArray(log?.topics) && log.topics.every(isHash) && isData(log.data)
}
