import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { RpcLog, RpcReceipt } from '../receipt/rpc-receipt.ts'
import { type RecordedBlock, type Recording, readRecording } from './recording.ts'

export interface RecordedNode extends AsyncDisposable {
  readonly rpc: string
  /** Replaces the recording: the chain has grown, or was reorganised. */
  serve(recording: Recording): void
  /** Resolves when the port is free. */
  close(): Promise<void>
}

/**
 * Serves a recording as JSON-RPC over HTTP, on 127.0.0.1 and a free port: all that `readBlocks` and
 * `readEvents` request.
 *
 * @param recording The recording, or its JSON file.
 * @throws {InvalidRecordingError} the file is not there or has none.
 *
 * @example
 * ```ts
 * const node = await serveRecording(new URL('../recorded/blocks.json', import.meta.url))
 * try {
 *   for await (const { block } of readBlocks({ ...settings, rpc: node.rpc }, source)) seen.push(block.hash)
 * } finally {
 *   await node.close()
 * }
 * ```
 */
export async function serveRecording(recording: Recording | string | URL): Promise<RecordedNode> {
  const isFile = typeof recording === 'string' || recording instanceof URL
  let served = isFile ? await readRecording(recording) : recording
  const server = createServer(async (request, response) => {
    // Rejects if the client has disconnected.
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answerBody(served, body)))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const close = (): Promise<void> =>
    new Promise((closed) => {
      server.close(() => closed())
      server.closeAllConnections()
    })
  return {
    rpc: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve(other) {
      served = other
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function answerBody(recording: Recording, body: string): unknown {
  try {
    const request = JSON.parse(body) as Call | Call[]
    return Array.isArray(request) ? request.map((call) => envelope(recording, call)) : envelope(recording, request)
  } catch {
    return { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'the request is not JSON' } }
  }
}

function envelope(recording: Recording, call: Call): Answer & { readonly jsonrpc: '2.0'; readonly id: unknown } {
  return { jsonrpc: '2.0', id: call.id, ...answerCall(recording, call) }
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

type Answer = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } }

function answerCall(recording: Recording, { method, params: [name, isWhole] = [] }: Call): Answer {
  if (method === 'eth_getBlockReceipts')
    return receiptsAnswer(blockOfHash(recording, name) ?? blockNamed(recording, name))
  if (method === 'eth_getLogs') return logsAnswer(recording, Object(name))
  const read = results.get(method)
  if (read) return result(read(recording, name, isWhole))
  return { error: { code: -32601, message: `the method ${method} does not exist in a recording` } }
}

/** By method. `undefined`: no such block or transaction. */
const results = new Map<string, (recording: Recording, name: unknown, isWhole: unknown) => unknown>([
  ['eth_chainId', ({ chainId }) => quantity(chainId)],
  ['eth_blockNumber', (recording) => blockNamed(recording, 'latest')?.block.number],
  ['eth_getBlockByNumber', (recording, name, isWhole) => blockAnswer(blockNamed(recording, name), isWhole)],
  ['eth_getBlockByHash', (recording, hash, isWhole) => blockAnswer(blockOfHash(recording, hash), isWhole)],
  ['eth_getBlockTransactionCountByNumber', (recording, name) => count(blockNamed(recording, name))],
  ['eth_getBlockTransactionCountByHash', (recording, hash) => count(blockOfHash(recording, hash))],
  ['eth_getTransactionReceipt', ({ blocks }, hash) => receiptOf(blocks, hash)],
])

function receiptOf(blocks: readonly RecordedBlock[], hash: unknown): RpcReceipt | undefined {
  return blocks.flatMap(({ receipts = [] }) => receipts).find(({ transactionHash }) => transactionHash === hash)
}

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
  return !recorded || recorded.receipts ? result(recorded?.receipts) : noReceipts
}

const noReceipts: Answer = { error: { code: -32000, message: 'this recording has no receipts' } }

interface LogsRequest {
  readonly blockHash?: string
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly address?: string | readonly string[]
  readonly topics?: readonly (string | readonly string[] | null)[]
}

function logsAnswer(recording: Recording, request: LogsRequest): Answer {
  const { blockHash, fromBlock = 'latest', toBlock = 'latest' } = request
  const inRange = blocksBetween(recording, fromBlock, toBlock)
  const blocks = blockHash === undefined ? inRange : [blockOfHash(recording, blockHash)]
  if (blocks.includes(undefined)) return { error: { code: -32000, message: 'unknown block' } }
  if (blocks.some((recorded) => !recorded!.receipts)) return noReceipts
  const logs = blocks.flatMap((recorded) => recorded!.receipts!.flatMap(placedLogs(recorded!)))
  return result(logs.filter((log) => isSelected(log, request)))
}

function blocksBetween(recording: Recording, from: string, to: string): readonly (RecordedBlock | undefined)[] {
  const numberOf = (name: string) => Number(blockNamed(recording, name)?.block.number ?? name)
  const [first, last] = [numberOf(from), numberOf(to)]
  return recording.blocks.filter(({ block: { number } }) => Number(number) >= first && Number(number) <= last)
}

function placedLogs({ block }: RecordedBlock): (receipt: RpcReceipt) => readonly RpcLog[] {
  const ofBlock = { blockNumber: block.number, blockHash: block.hash }
  return ({ logs, transactionHash, transactionIndex }) =>
    logs.map((log) => ({ ...log, ...ofBlock, transactionHash, transactionIndex }))
}

function isSelected({ address, topics }: RpcLog, { address: contracts, topics: wanted = [] }: LogsRequest): boolean {
  return (
    isAnyOf(address, contracts) &&
    wanted.length <= topics.length &&
    wanted.every((values, position) => isAnyOf(topics[position]!, values))
  )
}

function isAnyOf(value: string, wanted: string | readonly string[] | null | undefined): boolean {
  if (wanted === undefined || wanted === null || wanted.length === 0) return true
  return [wanted].flat().some((each) => each.toLowerCase() === value.toLowerCase())
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
