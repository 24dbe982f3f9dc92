import type { Call } from '../../recorded-chain/answer-call.ts'
import { isApplicable, type ReplayFault } from '../../recorded-chain/replay-fault.ts'
import type { FaultKind } from '../world/fault-kinds.ts'
import type { World } from '../world/world.ts'

/** Chooses the fault of the answer to a call. */
export type AnswerFaults = (call: Call) => ReplayFault | undefined

const faultsOfKinds: readonly (readonly [FaultKind, readonly ReplayFault[]])[] = [
  [
    'node omits',
    [
      ...(['stale_head', 'null_block', 'missing_transaction', 'missing_last_transaction', 'no_transactions'] as const),
      ...(['missing_receipt', 'missing_log'] as const),
    ],
  ],
  [
    'node answers garbage',
    [
      ...(['truncated_json', 'connection_cut', 'other_number', 'other_fork'] as const),
      ...(['foreign_transaction', 'unreadable_transaction', 'foreign_receipts', 'unreadable_receipt'] as const),
    ],
  ],
  [
    'node refuses',
    [
      ...(['rpc_error', 'answer_too_large', 'retry_after_seconds', 'retry_after_date'] as const),
      ...(['status_500', 'status_502', 'status_503'] as const),
    ],
  ],
]

/** @param seesAll Whether the reader detects that the last transaction of the requested block is missing. */
export function createAnswerFaults(world: World, seesAll: (call: Call) => boolean): AnswerFaults {
  return (call) => {
    for (const [kind, faults] of faultsOfKinds) {
      if (!world.strikes(kind)) continue
      const possible = faults.filter(
        (fault) => isApplicable(fault, call) && (fault !== 'missing_last_transaction' || seesAll(call)),
      )
      if (possible.length > 0) return world.random.pick(possible)
    }
    return undefined
  }
}
