import type { RecordedBlock, Recording } from './recording.ts'

/** A call of JSON-RPC 2.0. */
export interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

/** What JSON-RPC 2.0 answers with, beside the id. */
export type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }

/** Answers a call as a node does that has these blocks and no others. */
export function answerCall(recording: Recording, { method, params = [] }: Call): Answer {
  const [name, isWhole] = params
  switch (method) {
    case 'eth_chainId':
      return result(quantity(recording.chainId))
    case 'eth_blockNumber':
      return result(blockNamed(recording, 'latest')?.block.number)
    case 'eth_getBlockByNumber':
      return result(blockAnswer(blockNamed(recording, name), isWhole))
    case 'eth_getBlockByHash':
      return result(blockAnswer(blockOfHash(recording, name), isWhole))
    case 'eth_getBlockTransactionCountByNumber':
      return result(count(blockNamed(recording, name)))
    case 'eth_getBlockTransactionCountByHash':
      return result(count(blockOfHash(recording, name)))
    case 'eth_getBlockReceipts':
      return receiptsAnswer(blockOfHash(recording, name) ?? blockNamed(recording, name))
    case 'eth_getTransactionReceipt':
      return result(
        recording.blocks.flatMap(({ receipts = [] }) => receipts).find((each) => each.transactionHash === name),
      )
    default:
      return { error: { code: -32601, message: `the method ${method} does not exist in a recording` } }
  }
}

/** The block of a number or tag. */
function blockNamed({ blocks, finalized }: Recording, name: unknown): RecordedBlock | undefined {
  switch (name) {
    case 'earliest':
      return blocks[0]
    case 'latest':
    case 'pending':
      return blocks.at(-1)
    case 'finalized':
    case 'safe':
      return blocks.find(({ block }) => Number(block.number) === finalized)
    default:
      return blocks.find(({ block }) => Number(block.number) === Number(name))
  }
}

function blockOfHash({ blocks }: Recording, hash: unknown): RecordedBlock | undefined {
  return blocks.find(({ block }) => block.hash === hash)
}

function blockAnswer(recorded: RecordedBlock | undefined, isWhole: unknown): unknown {
  if (!recorded || isWhole === true) return recorded?.block
  return { ...recorded.block, transactions: recorded.block.transactions.map(({ hash }) => hash) }
}

function receiptsAnswer(recorded: RecordedBlock | undefined): Answer {
  if (!recorded || recorded.receipts) return result(recorded?.receipts)
  return { error: { code: -32000, message: 'this recording holds no receipts' } }
}

function count(recorded: RecordedBlock | undefined): string | undefined {
  return recorded && quantity(recorded.block.transactions.length)
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`
}

function result(value: unknown): Answer {
  return { result: value ?? null }
}
