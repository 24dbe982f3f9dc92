import { defineTable, type Field, type MessageTable } from './message-table.ts'
import { signedSize } from './signed-size.ts'

const accessListEntry = defineTable(
  'entry',
  [
    [1, 'Address', 'bytes', 'address'],
    [2, 'StorageKeys', 'bytes[]', 'storageKeys'],
  ],
  { required: ['address', 'storageKeys'] },
)

const authorization = defineTable('authorization', [
  [1, 'ChainId', 'integer', 'chainId'],
  [2, 'Address', 'bytes', 'address'],
  [3, 'Nonce', 'uint64', 'nonce'],
  [4, 'YParity', 'uint32', 'yParity', 'v'],
  [5, 'R', 'integer', 'r'],
  [6, 'S', 'integer', 's'],
])

export const transactionTable: MessageTable = defineTable(
  'transaction',
  [
    [1, 'ts', 'shared', 'time'],
    [2, 'From', 'bytes', 'from'],
    [3, 'Hash', 'hash', 'hash'],
    [4, 'Size', signedSize],
    [5, 'AccountNonce', 'uint64', 'nonce'],
    [6, 'Price', 'uint64', 'gasPrice'],
    [7, 'GasLimit', 'uint64', 'gas'],
    [8, 'Recipient', 'bytes', 'to'],
    [9, 'Amount', 'uint64', 'value'],
    [10, 'Payload', 'bytes', 'input'],
    // Some nodes have the parity of typed transactions in `yParity` only.
    [11, 'V', 'uint64', 'v', 'yParity'],
    [12, 'R', 'uint64', 'r'],
    [13, 'S', 'uint64', 's'],
    [20, 'BlockNumber', 'shared', 'blockNumber'],
    [21, 'BlockHash', 'shared', 'blockHash'],
    [22, 'TransactionIndex', 'uint32', 'transactionIndex'],
    [23, 'Type', 'uint32', 'type'],
    [24, 'ChainId', 'uint64?', 'chainId'],
    [25, 'MaxFeePerGas', 'uint64?', 'maxFeePerGas'],
    [26, 'MaxPriorityFeePerGas', 'uint64?', 'maxPriorityFeePerGas'],
    [27, 'AccessList', accessListEntry, 'accessList'],
    [28, 'MaxFeePerBlobGas', 'uint64?', 'maxFeePerBlobGas'],
    [29, 'BlobVersionedHashes', 'bytes[]', 'blobVersionedHashes'],
    [30, 'AuthorizationList', authorization, 'authorizationList'],
    [60, 'PriceExact', 'exact', 'gasPrice'],
    [61, 'AmountExact', 'exact', 'value'],
    [62, 'VExact', 'exact', 'v', 'yParity'],
    [63, 'RExact', 'exact', 'r'],
    [64, 'SExact', 'exact', 's'],
    [65, 'ChainIdExact', 'exact', 'chainId'],
    [66, 'MaxFeePerGasExact', 'exact', 'maxFeePerGas'],
    [67, 'MaxPriorityFeePerGasExact', 'exact', 'maxPriorityFeePerGas'],
    [68, 'MaxFeePerBlobGasExact', 'exact', 'maxFeePerBlobGas'],
  ],
  { required: ['hash', 'blockHash'], ignored: ['blockNumber', 'blockTimestamp'] },
)

export const blockTable: MessageTable = defineTable(
  'block',
  [
    [1, 'ts', 'shared', 'time'],
    [2, 'Hash', 'shared', 'blockHash'],
    [3, 'Difficulty', 'uint64', 'difficulty'],
    [4, 'Number', 'shared', 'blockNumber'],
    [5, 'GasLimit', 'uint64', 'gasLimit'],
    [6, 'GasUsed', 'uint64', 'gasUsed'],
    [7, 'Nonce', 'uint64', 'nonce'],
    [20, 'ParentHash', 'hash', 'parentHash'],
    [21, 'Miner', 'bytes', 'miner'],
    [22, 'BaseFee', 'uint64?', 'baseFeePerGas'],
    [23, 'TransactionCount', 'length', 'transactions'],
    [24, 'StateRoot', 'bytes', 'stateRoot'],
    [25, 'TransactionsRoot', 'bytes', 'transactionsRoot'],
    [26, 'ReceiptsRoot', 'bytes', 'receiptsRoot'],
    [27, 'UnclesHash', 'bytes', 'sha3Uncles'],
    [28, 'LogsBloom', 'bytes', 'logsBloom'],
    [29, 'ExtraData', 'bytes', 'extraData'],
    [30, 'MixHash', 'bytes', 'mixHash'],
    [31, 'Size', 'uint64', 'size'],
    [32, 'WithdrawalsRoot', 'bytes?', 'withdrawalsRoot'],
    [33, 'BlobGasUsed', 'uint64?', 'blobGasUsed'],
    [34, 'ExcessBlobGas', 'uint64?', 'excessBlobGas'],
    [35, 'ParentBeaconBlockRoot', 'bytes?', 'parentBeaconBlockRoot'],
    [36, 'RequestsHash', 'bytes?', 'requestsHash'],
    [60, 'DifficultyExact', 'exact', 'difficulty'],
    [61, 'BaseFeeExact', 'exact', 'baseFeePerGas'],
  ],
  {
    required: ['hash', 'parentHash', 'number', 'timestamp', 'transactions'],
    lists: { transactions: transactionTable },
  },
)

/** The fields that a receipt and its logs share. */
const place: readonly Field[] = [
  [1, 'ts', 'shared', 'time'],
  [2, 'TransactionHash', 'shared', 'transactionHash'],
  [3, 'TransactionIndex', 'shared', 'transactionIndex'],
  [4, 'BlockNumber', 'shared', 'blockNumber'],
  [5, 'BlockHash', 'shared', 'blockHash'],
]

/** Members of a log that are taken from its receipt. */
const ofReceipt = ['blockHash', 'blockNumber', 'blockTimestamp', 'transactionHash', 'transactionIndex']

export const logTable: MessageTable = defineTable(
  'log',
  [
    ...place,
    [6, 'LogIndex', 'uint32', 'logIndex'],
    [7, 'Address', 'address', 'address'],
    [8, 'Topics', 'word[]', 'topics'],
    [9, 'Data', 'bytes', 'data'],
  ],
  { required: ['address', 'topics', 'data'], ignored: [...ofReceipt, 'removed'] },
)

export const receiptTable: MessageTable = defineTable(
  'receipt',
  [
    ...place,
    [6, 'From', 'bytes', 'from'],
    [7, 'To', 'bytes', 'to'],
    [8, 'ContractAddress', 'bytes?', 'contractAddress'],
    [9, 'Type', 'uint32', 'type'],
    [10, 'Status', 'uint32?', 'status'],
    [11, 'Root', 'bytes?', 'root'],
    [12, 'GasUsed', 'uint64', 'gasUsed'],
    [13, 'CumulativeGasUsed', 'uint64', 'cumulativeGasUsed'],
    [14, 'EffectiveGasPrice', 'uint64?', 'effectiveGasPrice'],
    [15, 'LogsBloom', 'bytes', 'logsBloom'],
    [16, 'LogCount', 'length', 'logs'],
    [17, 'BlobGasUsed', 'uint64?', 'blobGasUsed'],
    [18, 'BlobGasPrice', 'uint64?', 'blobGasPrice'],
    [60, 'EffectiveGasPriceExact', 'exact', 'effectiveGasPrice'],
    [61, 'BlobGasPriceExact', 'exact', 'blobGasPrice'],
  ],
  {
    required: ['blockHash', 'transactionHash', 'logs'],
    checked: ['transactionIndex'],
    ignored: ['blockNumber'],
    lists: { logs: logTable },
  },
)

export const tables: Readonly<Record<'Block' | 'Transaction' | 'Receipt' | 'Log', MessageTable>> = {
  Block: blockTable,
  Transaction: transactionTable,
  Receipt: receiptTable,
  Log: logTable,
}
