import { CommitUnknownError, type Queue, TransactionAbortedError } from '@headrace/queue'
import { createFaultyQueue, type FaultStep, type FaultyQueue } from '@headrace/sdk/testing'
import type { Random } from '../../testbed/random.ts'

/** A fault of the queue. A crash ends the run. */
export interface QueueFault {
  readonly name: string
  readonly step: FaultStep
  error(writerId: string): Error
}

export const queueFaults: readonly QueueFault[] = [
  { name: 'crash at the checkpoint', step: 'latest', error: () => new Error('crash') },
  { name: 'crash at begin', step: 'begin', error: () => new Error('crash') },
  { name: 'crash at a record', step: 'send', error: () => new Error('crash') },
  { name: 'crash at commit', step: 'commit', error: () => new Error('crash') },
  { name: 'crash after commit', step: 'committed', error: () => new Error('crash') },
  { name: 'refused commit', step: 'commit', error: () => new TransactionAbortedError('refused') },
  { name: 'unanswered commit', step: 'committed', error: (writerId) => new CommitUnknownError(writerId) },
]

/** Injects a fault at one of the first `times` calls of its step. */
export function queueWithFault(
  queue: Queue,
  { step, error }: QueueFault,
  at: { readonly writerId: string; readonly random: Random; readonly times: number },
): FaultyQueue {
  const { writerId, random, times } = at
  const time = 1 + random.integer(step === 'latest' ? 1 : times)
  return createFaultyQueue(queue, [{ step, time, error: error(writerId) }])
}
