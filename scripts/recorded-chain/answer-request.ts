import { type Answer, answerCall, type Call } from './answer-call.ts'
import { lie } from './lie.ts'
import { type ReplayFault, type TransportFault, transportFaults } from './replay-fault.ts'
import type { ChainView } from './replayed-chain.ts'

/** A node of a chain, and what goes wrong with its answers. */
export interface ReplayedNode {
  /** May grow and be reorganised meanwhile. Several nodes may serve one chain. */
  readonly chain: ChainView
  /** Decides what goes wrong with a call. Default: nothing. What is not possible for this call does not take place. */
  fault?(call: Call): ReplayFault | undefined
  /** Is told of each fault that takes place. */
  onFault?(fault: ReplayFault): void
  /** Whether it has `eth_getBlockReceipts`. Default true. */
  readonly hasBlockReceipts?: boolean
}

export interface AnsweredRequest {
  /** Parts of the answer, which is JSON. */
  readonly body: readonly Buffer[]
  /** What goes wrong with the answer as a whole. */
  readonly fault: TransportFault | undefined
}

/** Answers a call, or a batch of them, as a node does. */
export function answerRequest(node: ReplayedNode, request: Call | readonly Call[]): AnsweredRequest {
  const calls = 'method' in request ? [request] : request
  const faults = calls.map((call) => node.fault?.(call))
  const fault = faults.find(isTransportFault)
  const answers = calls.map((call, index) => envelope(call, answer(node, call, fault ?? faults[index])))
  if (fault !== undefined) node.onFault?.(fault)
  return { body: 'method' in request ? answers.flat() : asList(answers), fault }
}

function answer(
  { chain, onFault, hasBlockReceipts = true }: ReplayedNode,
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

const end = Buffer.from('}')

function envelope({ id }: Call, answer: Answer): Buffer[] {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`
  if (Buffer.isBuffer(answer)) return [Buffer.from(`${head}"result":`), answer, end]
  return [Buffer.from(`${head}"error":${JSON.stringify(answer)}}`)]
}

function asList(answers: readonly Buffer[][]): Buffer[] {
  return [...answers.flatMap((each, index) => [Buffer.from(index === 0 ? '[' : ','), ...each]), Buffer.from(']')]
}
