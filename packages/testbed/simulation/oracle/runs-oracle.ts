import { decodeClaim } from '../../../queue/src/claim.ts'
import {
  FencedError,
  type NewRecord,
  type Queue,
  RetryableError,
  type Transaction,
  TransactionAbortedError,
  type Writer,
} from '../../../queue/src/index.ts'
import type { LoggedBatch } from '../kafka/replica.ts'
import type { World } from '../world/world.ts'

/** The header with the name of the transaction that sent a record. The product ignores it. */
export const attemptHeader = 'attempt'

/** Checks the runs of connectors: results of transactions, ownership, and reasons of ending. */
export interface RunsOracle {
  /**
   * A queue whose writers add the transaction to each record and report results. `onStep` is called before each step of
   * a writer.
   */
  watch(queue: Queue, run: string, onStep: () => void): Queue
  /**
   * A run has read its checkpoint and begins to publish. From now on, no record of a run with an earlier claim may
   * become visible.
   */
  owns(run: string): void
  /** Claims become visible to readers of `_headrace.owners`. */
  claimsShown(batches: readonly LoggedBatch[]): void
  /** A record of a transaction becomes visible to readers of committed records. */
  recordShown(attempt: string): void
  /** Checks the reason why a run ended. */
  ended(run: string, error: unknown): void
}

interface Attempt {
  readonly run: string
  sent: number
  shown: number
  outcome: 'open' | 'committed' | 'refused'
}

interface Watch {
  readonly run: string
  readonly onStep: () => void
}

export function createRunsOracle(world: World): RunsOracle {
  const attempts = new Map<string, Attempt>()
  const claims = new Map<string, { readonly id: string; readonly claim: string }>()
  const owners = new Set<string>()
  /** The claims of each writer id, in the order of the log. */
  const claimed = new Map<string, string[]>()

  /** Index of the claim of a run among those of its writer, and the index of the newest one. */
  function placeOf(run: string): { readonly place: number; readonly newest: number } {
    const { id, claim } = claims.get(run) ?? { id: '', claim: '' }
    const order = claimed.get(id) ?? []
    return { place: order.indexOf(claim), newest: order.length - 1 }
  }

  function isLater(run: string, than: string): boolean {
    return claims.get(run)?.id === claims.get(than)?.id && placeOf(run).place > placeOf(than).place
  }

  function refused(name: string): void {
    const attempt = attempts.get(name)!
    if (attempt.outcome === 'committed') world.fail(`${name} was refused after it was committed`)
    if (attempt.shown > 0) world.fail(`${name} was refused, and readers see its records`)
    attempt.outcome = 'refused'
  }

  function committed(name: string): void {
    const attempt = attempts.get(name)!
    attempt.outcome = 'committed'
    if (attempt.shown < attempt.sent)
      world.fail(`${name} was committed, and readers see ${attempt.shown} of its ${attempt.sent} records`)
  }

  function watchTransaction(transaction: Transaction, name: string, { run, onStep }: Watch): Transaction {
    const attempt: Attempt = { run, sent: 0, shown: 0, outcome: 'open' }
    attempts.set(name, attempt)
    const header = { key: attemptHeader, value: Buffer.from(name) }
    return {
      send(record: NewRecord) {
        transaction.send({ ...record, headers: [...(record.headers ?? []), header] })
        attempt.sent++
      },
      drain: () => transaction.drain(),
      async commit() {
        onStep()
        try {
          await transaction.commit()
        } catch (error) {
          if (error instanceof TransactionAbortedError) refused(name)
          throw error
        }
        committed(name)
        onStep()
      },
      async abort() {
        onStep()
        await transaction.abort()
        refused(name)
      },
    }
  }

  function watchWriter(writer: Writer, nextName: () => string, watch: Watch): Writer {
    return {
      begin: () => watchTransaction(writer.begin(), nextName(), watch),
      checkClaim: () => writer.checkClaim(),
      close: () => writer.close(),
    }
  }

  return {
    watch(queue, run, onStep) {
      let transactions = 0
      const nextName = () => `${run} transaction ${++transactions}`
      return {
        ...queue,
        async openWriter(options) {
          const { id, claim } = options
          claims.set(run, { id, claim })
          onStep()
          return watchWriter(await queue.openWriter(options), nextName, { run, onStep })
        },
      }
    },
    owns: (run) => void owners.add(run),
    claimsShown(batches) {
      for (const { view } of batches)
        for (const { key, value } of view.records()) {
          const id = Buffer.from(key!).toString()
          const order = claimed.get(id) ?? []
          claimed.set(id, order)
          order.push(decodeClaim(Buffer.from(value!).toString()).claim)
        }
    },
    recordShown(name) {
      const attempt = attempts.get(name)
      if (!attempt) return world.fail(`a record is of no known transaction: ${name}`)
      attempt.shown++
      if (attempt.outcome === 'refused') world.fail(`a record of ${name} is shown, which was refused`)
      const { run } = attempt
      for (const owner of owners)
        if (owner !== run && isLater(owner, run))
          world.fail(`a record of ${name} is shown, and ${owner} has taken over`)
    },
    ended(run, error) {
      if (error === undefined) return
      if (error instanceof FencedError) {
        const { place, newest } = placeOf(run)
        if (place < 0) world.fail(`${run} is fenced, and its claim is not there`)
        else if (place === newest) world.fail(`${run} is fenced although its claim is the newest`)
      } else if (!(error instanceof RetryableError)) {
        const { code } = error as { code?: string }
        world.fail(`${run} ended with ${code ?? 'an error'}: ${error instanceof Error ? error.stack : error}`)
      }
    },
  }
}
