import { randomBytes } from 'node:crypto'
import { it } from 'vitest'
import type { Transaction, Writer } from '../../src/queue.ts'
import type { Subject } from './subject.ts'
import { boundsOf, textRecord } from './text-records.ts'

/**
 * Begins a transaction of many batches. If the engine stores the records of open transactions, waits until some of these
 * are stored.
 */
export async function beginLarge(subject: Subject, writer: Writer, topic: string, key = 'large'): Promise<Transaction> {
  const transaction = writer.begin()
  const probe = await subject.createTopic({ cleanup: 'compact' })
  for (const place of [topic, probe]) {
    // Random bytes cannot be compressed.
    for (let index = 0; index < 40; index++) {
      transaction.send({ topic: place, key: Buffer.from(key), value: randomBytes(20_000), time: 1_600_000_000_000 })
    }
  }
  if (subject.storesOpenTransactions) await heldBack(subject, probe)
  return transaction
}

/** `it` for engines that store the records of open transactions. */
export function whereTransactionsAreStored(subject: Subject): (name: string, test: () => Promise<void>) => void {
  return subject.storesOpenTransactions ? it : () => {}
}

/** Resolves when an open transaction keeps an appended record invisible. */
async function heldBack({ queue }: Subject, topic: string): Promise<void> {
  const deadline = AbortSignal.timeout(30_000)
  for (let before: bigint | undefined; ; ) {
    deadline.throwIfAborted()
    await queue.append([textRecord(topic, 'probe', { key: Buffer.from('probe') })])
    const { end } = await boundsOf(queue, topic)
    if (end === before) return
    before = end
  }
}
