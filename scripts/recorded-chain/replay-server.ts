import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Answer, answerCall, type Call } from './answer-call.ts'
import { sendAnswer, spoilAnswer } from './http-answer.ts'
import { lie } from './lie.ts'
import { type ReplayFault, type TransportFault, transportFaults } from './replay-fault.ts'
import type { ReplayedChain } from './replayed-chain.ts'

export interface ReplayServerOptions {
  /** May grow and be reorganised meanwhile. Several servers may serve one chain. */
  readonly chain: ReplayedChain
  /** Decides what goes wrong with a call. Default: nothing. What is not possible for this call does not take place. */
  fault?(call: Call): ReplayFault | undefined
  /** Is told of each fault that takes place. */
  onFault?(fault: ReplayFault): void
  /** Whether it has `eth_getBlockReceipts`. Default true. */
  readonly hasBlockReceipts?: boolean
}

/** A node that plays a recorded chain. */
export interface ReplayServer {
  /** URL of its JSON-RPC endpoint over HTTP. */
  readonly rpc: string
  /** Cuts what is under way. */
  close(): Promise<void>
}

/**
 * Serves a chain as a node does, over HTTP: `eth_chainId`, `eth_blockNumber`, `eth_getBlockByNumber`,
 * `eth_getBlockTransactionCountByNumber` and `…ByHash`, `eth_getBlockReceipts` by hash, `eth_getTransactionReceipt`, one by
 * one or in batches.
 */
export async function startReplayServer(options: ReplayServerOptions): Promise<ReplayServer> {
  const server = createServer(async (request, response) => {
    const body = await read(request)
    if (body !== undefined) serve(options, JSON.parse(body) as Call | Call[], response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    rpc: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

function serve(options: ReplayServerOptions, request: Call | Call[], response: ServerResponse): void {
  const calls = Array.isArray(request) ? request : [request]
  const faults = calls.map((call) => options.fault?.(call))
  const ofAll = faults.find(isTransportFault)
  const answers = calls.map((call, index) => envelope(call, answer(options, call, ofAll ?? faults[index])))
  const body = Array.isArray(request) ? asList(answers) : answers.flat()
  if (ofAll === undefined) {
    sendAnswer(response, body)
  } else {
    options.onFault?.(ofAll)
    spoilAnswer(response, ofAll, body)
  }
}

function answer(
  { chain, onFault, hasBlockReceipts = true }: ReplayServerOptions,
  call: Call,
  fault: ReplayFault | undefined,
): Answer {
  const lied = fault === undefined || isTransportFault(fault) ? undefined : lie(chain, call, fault)
  if (lied !== undefined) onFault?.(fault!)
  const isUnknown = !hasBlockReceipts && call.method === 'eth_getBlockReceipts'
  return lied ?? answerCall(chain, isUnknown ? { ...call, method: 'unknown' } : call)
}

function isTransportFault(fault: ReplayFault | undefined): fault is TransportFault {
  return transportFaults.some((each) => each === fault)
}

function envelope({ id }: Call, answer: Answer): Buffer[] {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`
  if (Buffer.isBuffer(answer)) return [Buffer.from(`${head}"result":`), answer, end]
  return [Buffer.from(`${head}"error":${JSON.stringify(answer)}}`)]
}

const end = Buffer.from('}')

function asList(answers: readonly Buffer[][]): Buffer[] {
  return [...answers.flatMap((each, index) => [Buffer.from(index === 0 ? '[' : ','), ...each]), Buffer.from(']')]
}

/** The body; `undefined` where the client has gone meanwhile. */
async function read(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer)
  } catch {
    return undefined
  }
  return Buffer.concat(chunks).toString()
}
