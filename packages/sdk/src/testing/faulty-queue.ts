import type { Queue, Transaction, Writer } from '@headrace/queue'

/**
 * The step at which a fault happens, before it is done. `committed`: after the commit, so that only the writer gets an
 * error.
 */
export type FaultStep = 'openWriter' | 'latest' | 'begin' | 'send' | 'commit' | 'committed' | 'abort'

export type Fault = {
  /** At which call of the step it happens, from 1. */
  readonly time: number
} & (
  | { readonly step: FaultStep; readonly error: Error }
  | { readonly step: 'commit' /** Runs before the commit, which is then made. */; beforeCommit(): Promise<unknown> }
)

export interface FaultyQueue extends Queue {
  /** Faults that have not happened yet. Assert that there is none at the end of a test. */
  readonly pending: readonly Fault[]
  reached(step: FaultStep): number
}

/**
 * Injects faults into a real queue.
 *
 * @example
 * ```ts
 * const refused = new TransactionAbortedError('refused')
 * const queue = createFaultyQueue(project.queue, [{ step: 'commit', time: 3, error: refused }])
 * await project.run(connector, { queue })
 * expect(queue.pending).toEqual([])
 * ```
 */
export function createFaultyQueue(queue: Queue, faults: readonly Fault[]): FaultyQueue {
  const plan = createPlan(faults)
  return {
    ...queue,
    get pending() {
      return plan.pending()
    },
    reached: plan.reached,
    async latest(topic, partition, key) {
      plan.reach('latest')
      return queue.latest(topic, partition, key)
    },
    async openWriter(options) {
      plan.reach('openWriter')
      return faultyWriter(await queue.openWriter(options), plan)
    },
  }
}

type Plan = ReturnType<typeof createPlan>

function createPlan(faults: readonly Fault[]) {
  const pending = new Set(faults)
  const times = new Map<FaultStep, number>()
  return {
    pending: () => [...pending],
    reached: (step: FaultStep) => times.get(step) ?? 0,
    /** Counts a step. Injects the fault that is planned for it. */
    reach(step: FaultStep): Promise<unknown> | undefined {
      const time = (times.get(step) ?? 0) + 1
      times.set(step, time)
      for (const fault of pending) {
        if (fault.step !== step || fault.time !== time) continue
        pending.delete(fault)
        if ('error' in fault) throw fault.error
        return fault.beforeCommit()
      }
      return undefined
    },
  }
}

function faultyWriter(writer: Writer, plan: Plan): Writer {
  return {
    ...writer,
    begin() {
      plan.reach('begin')
      return faultyTransaction(writer.begin(), plan)
    },
  }
}

function faultyTransaction(transaction: Transaction, plan: Plan): Transaction {
  let ended = false
  return {
    send(record) {
      plan.reach('send')
      transaction.send(record)
    },
    drain: () => transaction.drain(),
    async commit() {
      try {
        await plan.reach('commit')
      } catch (error) {
        ended = true
        await transaction.abort()
        throw error
      }
      await transaction.commit()
      ended = true
      plan.reach('committed')
    },
    async abort() {
      plan.reach('abort')
      if (!ended) await transaction.abort()
    },
  }
}
