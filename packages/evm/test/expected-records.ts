import { concat, encodeRlp, keccak256, type RlpStructuredDataish, toBeArray } from 'ethers'
import type { ChainFixture, Fields } from './chain-fixture.ts'

/** JSON of the published records by message, made from a node's answers without the code that publishes them. */
export interface ExpectedRecords {
  readonly Block: readonly Fields[]
  readonly Transaction: readonly Fields[]
  readonly Receipt: readonly Fields[]
  readonly Log: readonly Fields[]
}

export function expectedRecords({ block, receipts }: ChainFixture): ExpectedRecords {
  const ts = time(block.timestamp)
  const listed = receipts ?? []
  return {
    Block: [record(fields.block, block, { ts })],
    Transaction: block.transactions.map((each) => record(fields.transaction, each, { ts, Size: signedSize(each) })),
    Receipt: listed.map((each) => record(fields.receipt, each, { ts })),
    // A log is in the block of its receipt, whatever a node reports.
    Log: listed.flatMap((receipt) =>
      logsOf(receipt).map((log) => record(fields.log, { ...log, ...placeOf(receipt) }, { ts })),
    ),
  }
}

const parts = ['block', 'transaction', 'receipt', 'log'] as const
export type Part = (typeof parts)[number]

/** The members of the answers that no field is made from, in alphabetical order. */
export function membersNotPublished({ block, receipts }: ChainFixture): Partial<Record<Part, string>> {
  const objects: Record<Part, readonly Fields[]> = {
    block: [block],
    transaction: block.transactions,
    receipt: receipts ?? [],
    log: receipts?.flatMap(logsOf) ?? [],
  }
  const dropped = parts.map((part) => {
    const published = membersOf(part)
    const names = objects[part].flatMap((each) => Object.keys(each)).filter((name) => !published.includes(name))
    return [part, [...new Set(names)].sort().join(' ')] as const
  })
  return Object.fromEntries(dropped.filter(([, names]) => names !== ''))
}

/** The same answers with leading zeros in all quantities, and `null` in place of members that the chain does not have. */
export function rewritten(fixture: ChainFixture): ChainFixture {
  const { block, receipts } = fixture
  const transactions = block.transactions.map((each) => rewrite('transaction', each))
  return {
    ...fixture,
    block: { ...rewrite('block', block), ...{ number: block.number, hash: block.hash }, transactions },
    receipts:
      receipts?.map((each) => ({
        ...rewrite('receipt', each),
        logs: logsOf(each).map((log) => rewrite('log', log)),
      })) ?? null,
  }
}

function rewrite(part: Part, object: Fields): Fields {
  const absent = Object.fromEntries(membersOf(part).map((name) => [name, null]))
  const padded = Object.values(fields[part])
    .filter(([, form]) => quantities.has(form))
    .flatMap(([members]) => members)
    .filter((name) => typeof object[name] === 'string')
    .map((name) => [name, `0x${(object[name] as string).slice(2).padStart(64, '0')}`])
  return { ...absent, ...object, ...Object.fromEntries(padded) }
}

function membersOf(part: Part): string[] {
  const members = Object.values(fields[part]).flatMap(([names]) => names)
  return part === 'block' ? ['timestamp', ...members] : members
}

/** Whether the hash of a transaction is that of its encoding, or cannot be. */
export function hasOwnEncoding({ transactions }: ChainFixture['block']): boolean {
  return transactions.some((each) => isSigned(each) && encodings[typeOf(each)] && keccak256(encode(each)) !== each.hash)
}

type Form = (value: unknown) => unknown
/** A field is made from the first of the members that is there. */
type Row = readonly [members: readonly string[], form: Form]

const maxUint64 = 2n ** 64n - 1n

function quantity(value: unknown): bigint {
  return value === undefined || value === null || value === '0x' ? 0n : BigInt(value as string)
}

const uint64: Form = (value) => String(quantity(value) > maxUint64 ? maxUint64 : quantity(value))
const uint32: Form = (value) => Number(quantity(value))
const data: Form = (value) => String(value ?? '0x').toLowerCase()
const text: Form = (value) => value
const length: Form = (value) => (value as unknown[]).length
const each: Form = (value) => ((value ?? []) as unknown[]).map(data)
const exact: Form = (value) => {
  if (quantity(value) <= maxUint64) return undefined
  const digits = quantity(value).toString(16)
  return `0x${digits.padStart(digits.length + (digits.length % 2), '0')}`
}

function optional(form: Form): Form {
  return (value) => (value === undefined || value === null ? undefined : form(value))
}

const optionalUint64 = optional(uint64)
const optionalUint32 = optional(uint32)
const quantities = new Set([uint64, uint32, exact, optionalUint64, optionalUint32])

function from(member: string, form: Form): Row {
  return [[member], form]
}

/** Fields by message, except `ts` and `Size`. */
export const fields: Record<Part, Readonly<Record<string, Row>>> = {
  block: {
    Hash: from('hash', text),
    Difficulty: from('difficulty', uint64),
    Number: from('number', uint64),
    GasLimit: from('gasLimit', uint64),
    GasUsed: from('gasUsed', uint64),
    Nonce: from('nonce', uint64),
    ParentHash: from('parentHash', text),
    Miner: from('miner', data),
    BaseFee: from('baseFeePerGas', optionalUint64),
    TransactionCount: from('transactions', length),
    StateRoot: from('stateRoot', data),
    TransactionsRoot: from('transactionsRoot', data),
    ReceiptsRoot: from('receiptsRoot', data),
    UnclesHash: from('sha3Uncles', data),
    LogsBloom: from('logsBloom', data),
    ExtraData: from('extraData', data),
    MixHash: from('mixHash', data),
    Size: from('size', uint64),
    WithdrawalsRoot: from('withdrawalsRoot', optional(data)),
    BlobGasUsed: from('blobGasUsed', optionalUint64),
    ExcessBlobGas: from('excessBlobGas', optionalUint64),
    ParentBeaconBlockRoot: from('parentBeaconBlockRoot', optional(data)),
    RequestsHash: from('requestsHash', optional(data)),
    DifficultyExact: from('difficulty', exact),
    BaseFeeExact: from('baseFeePerGas', exact),
  },
  transaction: {
    From: from('from', data),
    Hash: from('hash', text),
    AccountNonce: from('nonce', uint64),
    Price: from('gasPrice', uint64),
    GasLimit: from('gas', uint64),
    Recipient: from('to', data),
    Amount: from('value', uint64),
    Payload: from('input', data),
    V: [['v', 'yParity'], uint64],
    R: from('r', uint64),
    S: from('s', uint64),
    BlockNumber: from('blockNumber', uint64),
    BlockHash: from('blockHash', text),
    TransactionIndex: from('transactionIndex', uint32),
    Type: from('type', uint32),
    ChainId: from('chainId', optionalUint64),
    MaxFeePerGas: from('maxFeePerGas', optionalUint64),
    MaxPriorityFeePerGas: from('maxPriorityFeePerGas', optionalUint64),
    AccessList: from('accessList', each),
    MaxFeePerBlobGas: from('maxFeePerBlobGas', optionalUint64),
    BlobVersionedHashes: from('blobVersionedHashes', each),
    AuthorizationList: from('authorizationList', each),
    PriceExact: from('gasPrice', exact),
    AmountExact: from('value', exact),
    VExact: [['v', 'yParity'], exact],
    RExact: from('r', exact),
    SExact: from('s', exact),
    ChainIdExact: from('chainId', exact),
    MaxFeePerGasExact: from('maxFeePerGas', exact),
    MaxPriorityFeePerGasExact: from('maxPriorityFeePerGas', exact),
    MaxFeePerBlobGasExact: from('maxFeePerBlobGas', exact),
  },
  receipt: {
    TransactionHash: from('transactionHash', text),
    TransactionIndex: from('transactionIndex', uint32),
    BlockNumber: from('blockNumber', uint64),
    BlockHash: from('blockHash', text),
    From: from('from', data),
    To: from('to', data),
    ContractAddress: from('contractAddress', optional(data)),
    Type: from('type', uint32),
    Status: from('status', optionalUint32),
    Root: from('root', optional(data)),
    GasUsed: from('gasUsed', uint64),
    CumulativeGasUsed: from('cumulativeGasUsed', uint64),
    EffectiveGasPrice: from('effectiveGasPrice', optionalUint64),
    LogsBloom: from('logsBloom', data),
    LogCount: from('logs', length),
    BlobGasUsed: from('blobGasUsed', optionalUint64),
    BlobGasPrice: from('blobGasPrice', optionalUint64),
    EffectiveGasPriceExact: from('effectiveGasPrice', exact),
    BlobGasPriceExact: from('blobGasPrice', exact),
  },
  log: {
    TransactionHash: from('transactionHash', text),
    TransactionIndex: from('transactionIndex', uint32),
    BlockNumber: from('blockNumber', uint64),
    BlockHash: from('blockHash', text),
    LogIndex: from('logIndex', uint32),
    Address: from('address', data),
    Topics: from('topics', each),
    Data: from('data', data),
  },
}

function record(rows: Readonly<Record<string, Row>>, object: Fields, added: Fields): Fields {
  const made = Object.entries(rows).map(([field, [members, form]]) => {
    const member = members.find((name) => object[name] !== undefined && object[name] !== null)
    return [field, form(member && object[member])]
  })
  return { ...Object.fromEntries(made), ...added }
}

function time(seconds: unknown): string {
  return new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z')
}

function logsOf(receipt: Fields): readonly Fields[] {
  return receipt.logs as readonly Fields[]
}

function placeOf({ blockHash, blockNumber, transactionHash, transactionIndex }: Fields): Fields {
  return { blockHash, blockNumber, transactionHash, transactionIndex }
}

function signedSize(transaction: Fields): number {
  return encodings[typeOf(transaction)] ? (encode(transaction).length - 2) / 2 : 0
}

function isSigned({ r }: Fields): boolean {
  return quantity(r) > 0n
}

function typeOf({ type }: Fields): number {
  return Number(quantity(type))
}

const signature = ['yParity', 'r', 's']
const call = ['gas', 'to', 'value', 'input']
const dynamicFees = ['chainId', 'nonce', 'maxPriorityFeePerGas', 'maxFeePerGas', ...call, 'accessList']
/** EIP-2718, 2930, 1559 and 4844, by type. */
const encodings: readonly (readonly string[])[] = [
  ['nonce', 'gasPrice', ...call, 'v', 'r', 's'],
  ['chainId', 'nonce', 'gasPrice', ...call, 'accessList', ...signature],
  [...dynamicFees, ...signature],
  [...dynamicFees, 'maxFeePerBlobGas', 'blobVersionedHashes', ...signature],
]

function encode(transaction: Fields): string {
  const type = typeOf(transaction)
  const encoded = encodeRlp(encodings[type]!.map((name) => encodedMember(name, transaction)))
  return type === 0 ? encoded : concat([toBeArray(type), encoded])
}

function encodedMember(name: string, transaction: Fields): RlpStructuredDataish {
  const value = transaction[name]
  if (name === 'to' || name === 'input') return String(value ?? '0x')
  if (Array.isArray(value)) return value as string[]
  return toBeArray(quantity(name === 'yParity' ? (value ?? transaction.v) : value))
}
