import { type Answer, answerCall, type Call } from './answer-call.ts'
import type { LogLimits } from './answer-logs.ts'
import { isOf, type ReplayFault, type TransportFault, transportFaults } from './replay-fault.ts'
import type { ChainView } from './replayed-chain.ts'
import { wrongAnswer } from './wrong-answer.ts'

/** A node of a chain, and the faults of its answers. */
export interface ReplayedNode {
  /** The chain may change while the node serves it. Several nodes may serve one chain. */
  readonly chain: ChainView
  /** Chooses the fault of a call. Default: none. A fault that does not apply to the call is ignored. */
  fault?(call: Call): ReplayFault | undefined
  /** Called with each fault that takes place. */
  onFault?(fault: ReplayFault): void
  /** Whether it has `eth_getBlockReceipts`. Default true. */
  readonly hasBlockReceipts?: boolean
  /** Limits of `eth_getLogs`. Default: none. */
  readonly logLimits?: LogLimits
  /** Most calls of a batch: more are refused. Default: no limit. */
  readonly mostCalls?: number
}

export interface AnsweredRequest {
  /** The answer as JSON, in parts. */
  readonly body: readonly Buffer[]
  /** A fault of the answer as a whole. */
  readonly fault: TransportFault | undefined
}

/** Answers a call, or a batch of them, as a node does. */
export function answerRequest(node: ReplayedNode, request: Call | readonly Call[]): AnsweredRequest {
  const calls = 'method' in request ? [request] : request
  if (calls.length > (node.mostCalls ?? calls.length))
    return { body: envelope(calls[0]!, tooManyCalls), fault: undefined }
  const faults = calls.map((call) => node.fault?.(call))
  const fault = faults.find((each) => isOf(transportFaults, each))
  const answers = calls.map((call, index) => envelope(call, answer(node, call, fault ?? faults[index])))
  if (fault !== undefined) node.onFault?.(fault)
  return { body: 'method' in request ? answers.flat() : asList(answers), fault }
}

function answer(
  { chain, onFault, hasBlockReceipts = true, logLimits }: ReplayedNode,
  call: Call,
  fault: ReplayFault | undefined,
): Answer {
  const wrong = fault === undefined || isOf(transportFaults, fault) ? undefined : wrongAnswer(chain, call, fault)
  if (wrong !== undefined) onFault?.(fault!)
  const isUnknown = !hasBlockReceipts && call.method === 'eth_getBlockReceipts'
  return wrong ?? answerCall(chain, isUnknown ? { ...call, method: 'unknown' } : call, logLimits)
}

const tooManyCalls: Answer = { code: -32600, message: 'batch limit exceeded' }
const end = Buffer.from('}')

function envelope({ id }: Call, answer: Answer): Buffer[] {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`
  if (Buffer.isBuffer(answer)) return [Buffer.from(`${head}"result":`), answer, end]
  return [Buffer.from(`${head}"error":${JSON.stringify(answer)}}`)]
}

function asList(answers: readonly Buffer[][]): Buffer[] {
  return [...answers.flatMap((each, index) => [Buffer.from(index === 0 ? '[' : ','), ...each]), Buffer.from(']')]
}
