import { type FieldShapes, findMalformed, isData, isDataList } from '../quantity/field-shape.ts'
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

function isLog(log: Partial<RpcLog> | null): boolean {
  return isData(log?.address) && isDataList(log?.topics) && isData(log?.data ?? '0x')
}
