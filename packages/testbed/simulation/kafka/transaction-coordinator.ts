import { brokerErrorCodes as codes } from '../../../queue/src/kafka/connection/broker-error.ts'
import type { World } from '../world/world.ts'
import type { Broker } from './broker.ts'
import { type CoordinatorLog, type CoordinatorTerm, createCoordinatorLog, type Transaction } from './coordinator-log.ts'

export interface TransactionCoordinatorOptions {
  readonly world: World
  readonly brokers: readonly Broker[]
  readonly brokerDelay: () => number
  /** Version 2: each transaction has its own producer epoch (KIP-890). */
  readonly transactionVersion: 0 | 2
  readonly maxTimeoutMs: number
  /**
   * Writes markers to partitions, with as many attempts as needed. Resolves, when all in sync have them, to false if a
   * partition rejected its marker permanently.
   */
  readonly writeMarkers: (term: CoordinatorTerm, markers: Markers, stillNeeded: () => boolean) => Promise<boolean>
}

export interface Markers {
  readonly producerId: bigint
  readonly epoch: number
  readonly coordinatorEpoch: number
  readonly committed: boolean
  readonly partitions: readonly string[]
}

export interface ProducerAnswer {
  readonly errorCode: number
  readonly producerId: bigint
  readonly epoch: number
}

export interface AskedProducer {
  readonly producerId: bigint
  readonly epoch: number
}

/**
 * The coordinator of transactional ids. It keeps their states in a replicated log, and moves with the leader of that
 * log.
 */
export interface TransactionCoordinator {
  readonly log: CoordinatorLog
  initProducerId(node: number, id: string | null, timeoutMs: number): Promise<ProducerAnswer>
  addPartitions(node: number, id: string, by: AskedProducer, partitions: readonly string[]): Promise<number>
  /** Whether partitions are part of the open transaction. */
  verify(node: number, id: string, by: AskedProducer, partition: string): number
  endTransaction(node: number, id: string, by: AskedProducer, committed: boolean): Promise<ProducerAnswer>
  /** Skips nearly all epochs of an id. */
  exhaustEpochs(id: string): void
}

export function createTransactionCoordinator(options: TransactionCoordinatorOptions): TransactionCoordinator {
  const { world, brokers, brokerDelay, transactionVersion, maxTimeoutMs } = options
  const log = createCoordinatorLog({
    world,
    brokers,
    brokerDelay,
    onLoaded(term) {
      for (const [id, found] of term.memory!)
        if (found.state === 'PrepareCommit' || found.state === 'PrepareAbort') complete(term, id, found)
    },
  })
  let producerIds = 1000n

  /** The term of a broker as coordinator, or the error code of its answer. */
  function access(asked: number): Active | number {
    const term = log.term(asked)
    if (!term) return codes.NOT_COORDINATOR
    return term.memory ? (term as Active) : codes.COORDINATOR_LOAD_IN_PROGRESS
  }

  const refused = (errorCode: number): ProducerAnswer => ({ errorCode, producerId: -1n, epoch: -1 })

  function complete(term: CoordinatorTerm, id: string, prepared: Transaction): void {
    const stillNeeded = () => log.isCurrent(term)
    const committed = prepared.state === 'PrepareCommit'
    // With KIP-890 the markers have the epoch of the next transaction, so that a late batch is rejected.
    const by = markerProducer(prepared)
    const markers = { ...by, coordinatorEpoch: term.epoch, committed, partitions: prepared.partitions }
    options.writeMarkers(term, markers, stillNeeded).then(async (written) => {
      if (!written || !stillNeeded()) return
      await log.write(term, id, { ...prepared, state: committed ? 'CompleteCommit' : 'CompleteAbort', partitions: [] })
    })
  }

  /** When the epochs of a producer id are used up, its last markers still have that id. */
  function markerProducer({ producerId, previousProducerId, epoch }: Transaction): AskedProducer {
    const overflown = transactionVersion === 2 && epoch === 0 && previousProducerId >= 0n
    return overflown ? { producerId: previousProducerId, epoch: lastEpoch + 1 } : { producerId, epoch }
  }

  async function prepare(
    term: CoordinatorTerm,
    id: string,
    found: Transaction,
    committed: boolean,
  ): Promise<ProducerAnswer> {
    const state = committed ? 'PrepareCommit' : 'PrepareAbort'
    const next = transactionVersion === 2 ? nextEpoch(found) : found
    const prepared: Transaction = { ...next, state }
    const code = await log.write(term, id, prepared)
    if (code !== codes.NONE) return refused(code)
    complete(term, id, prepared)
    return { errorCode: codes.NONE, producerId: prepared.producerId, epoch: prepared.epoch }
  }

  function nextEpoch(found: Transaction): Transaction {
    const next = { ...found, previousProducerId: found.producerId }
    return found.epoch < lastEpoch
      ? { ...next, epoch: found.epoch + 1 }
      : { ...next, producerId: producerIds++, epoch: 0 }
  }

  /** Aborts the transaction of a producer and rejects its later requests. */
  async function fence(term: CoordinatorTerm, id: string, found: Transaction): Promise<ProducerAnswer> {
    const next = transactionVersion === 2 ? nextEpoch(found) : { ...found, epoch: found.epoch + 1 }
    const fenced: Transaction = { ...next, state: 'PrepareAbort' }
    const code = await log.write(term, id, fenced)
    if (code !== codes.NONE) return refused(code)
    complete(term, id, fenced)
    return refused(codes.CONCURRENT_TRANSACTIONS)
  }

  function abortTimedOut(term: CoordinatorTerm): void {
    for (const [id, found] of term.memory ?? []) {
      const { state, startedAt, timeoutMs } = found
      if (state !== 'Ongoing' || term.pending.has(id) || world.now() - startedAt < timeoutMs) continue
      world.note(`broker ${term.broker.id}`, `the transaction of "${id}" timed out`)
      void fence(term, id, found)
    }
  }

  function watchTimeouts(): void {
    for (const term of log.terms)
      if (log.isCurrent(term) && term.process.pausedUntil <= world.now()) abortTimedOut(term)
    world.later(timeoutIntervalMs, watchTimeouts)
  }
  watchTimeouts()

  return {
    log,
    async initProducerId(asked, id, timeoutMs) {
      if (id === null) return { errorCode: codes.NONE, producerId: producerIds++, epoch: 0 }
      if (timeoutMs > maxTimeoutMs) return refused(codes.INVALID_TRANSACTION_TIMEOUT)
      const term = access(asked)
      if (typeof term === 'number') return refused(term)
      const { memory, pending } = term
      if (pending.has(id)) return refused(codes.CONCURRENT_TRANSACTIONS)
      const found = memory.get(id)
      if (found?.state === 'PrepareCommit' || found?.state === 'PrepareAbort')
        return refused(codes.CONCURRENT_TRANSACTIONS)
      if (found?.state === 'Ongoing') return fence(term, id, found)
      const next: Transaction = found
        ? { ...nextEpoch(found), state: 'Empty', partitions: [], timeoutMs }
        : {
            producerId: producerIds++,
            epoch: 0,
            previousProducerId: -1n,
            state: 'Empty',
            partitions: [],
            timeoutMs,
            startedAt: 0,
          }
      const written = await log.write(term, id, next)
      if (written !== codes.NONE) return refused(written)
      return { errorCode: codes.NONE, producerId: next.producerId, epoch: next.epoch }
    },
    async addPartitions(asked, id, by, partitions) {
      const term = access(asked)
      if (typeof term === 'number') return term
      const { memory, pending } = term
      const found = memory.get(id)
      if (!found || found.producerId !== by.producerId) return codes.INVALID_PRODUCER_ID_MAPPING
      if (found.epoch !== by.epoch) return codes.PRODUCER_FENCED
      if (pending.has(id)) return codes.CONCURRENT_TRANSACTIONS
      if (found.state === 'PrepareCommit' || found.state === 'PrepareAbort') return codes.CONCURRENT_TRANSACTIONS
      const ongoing = found.state === 'Ongoing'
      const added = partitions.filter((one) => !ongoing || !found.partitions.includes(one))
      if (added.length === 0) return codes.NONE
      const startedAt = ongoing ? found.startedAt : world.now()
      const before = ongoing ? found.partitions : []
      const next = { ...found, previousProducerId: found.producerId, startedAt }
      return log.write(term, id, { ...next, state: 'Ongoing', partitions: [...before, ...added] })
    },
    verify(asked, id, by, partition) {
      const term = access(asked)
      if (typeof term === 'number') return term
      const found = term.memory.get(id)
      if (!found || found.producerId !== by.producerId) return codes.INVALID_PRODUCER_ID_MAPPING
      if (found.epoch !== by.epoch) return codes.PRODUCER_FENCED
      if (found.state === 'PrepareCommit' || found.state === 'PrepareAbort') return codes.CONCURRENT_TRANSACTIONS
      return found.state === 'Ongoing' && found.partitions.includes(partition) ? codes.NONE : codes.INVALID_TXN_STATE
    },
    async endTransaction(asked, id, by, committed) {
      const term = access(asked)
      if (typeof term === 'number') return refused(term)
      const { memory, pending } = term
      const found = memory.get(id)
      if (!found) return refused(codes.INVALID_PRODUCER_ID_MAPPING)
      const afterBump = by.producerId === found.producerId && by.epoch === found.epoch - 1
      const afterOverflow =
        !pending.has(id) && found.previousProducerId === by.producerId && by.epoch === lastEpoch && found.epoch === 0
      if (found.producerId !== by.producerId && !(transactionVersion === 2 && afterOverflow))
        return refused(codes.INVALID_PRODUCER_ID_MAPPING)
      const preparing = found.state === 'PrepareCommit' || found.state === 'PrepareAbort'
      const completed = found.state === 'CompleteCommit' || found.state === 'CompleteAbort'
      const again = transactionVersion === 2 ? afterBump || afterOverflow : by.epoch === found.epoch
      const same = by.epoch === found.epoch && by.producerId === found.producerId
      const valid = transactionVersion === 0 ? same : preparing ? again : completed ? again || same : same
      if (!valid) return refused(codes.PRODUCER_FENCED)
      if (pending.has(id)) return refused(codes.CONCURRENT_TRANSACTIONS)
      if (found.state === 'Ongoing') return prepare(term, id, found, committed)
      const asBefore = found.state.endsWith('Commit') === committed
      if (preparing) return refused(asBefore ? codes.CONCURRENT_TRANSACTIONS : codes.INVALID_TXN_STATE)
      if (completed && again && asBefore)
        return { errorCode: codes.NONE, producerId: found.producerId, epoch: found.epoch }
      // A transaction without records can be aborted.
      if (transactionVersion === 2 && !committed && !(completed && again))
        return prepare(term, id, { ...found, partitions: [] }, false)
      return refused(codes.INVALID_TXN_STATE)
    },
    exhaustEpochs(id) {
      const term = log.term(log.leader)
      const found = term?.memory?.get(id)
      if (!term || !found || term.pending.has(id) || found.epoch >= lastEpoch - 2) return
      if (found.state === 'Ongoing' || found.state.startsWith('Prepare')) return
      void log.write(term, id, { ...found, epoch: lastEpoch - 2 })
    },
  }
}

/** A term that has loaded its log. */
type Active = CoordinatorTerm & { readonly memory: Map<string, Transaction> }

const lastEpoch = 32_766
const timeoutIntervalMs = 10_000
