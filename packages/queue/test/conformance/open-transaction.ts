import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { it } from 'vitest'
import type { Transaction, Writer } from '../../src/queue.ts'
import type { Subject } from './subject.ts'
import { boundsOf } from './text-records.ts'

/**
 * Begins a transaction of many batches. If the engine stores the records of open transactions, waits until some of these
 * are stored.
 */
export async function beginLarge(subject: Subject, writer: Writer, topic: string, key = 'large'): Promise<Transaction> {
  const transaction = writer.begin()
  // Random bytes cannot be compressed.
  for (let index = 0; index < 40; index++) {
    transaction.send({ topic, key: Buffer.from(key), value: randomBytes(20_000), time: 1_600_000_000_000 })
  }
  if (subject.storesOpenTransactions) await heldBack(subject, topic)
  return transaction
}

/** `it` for engines that store the records of open transactions. */
export function whereTransactionsAreStored(subject: Subject): (name: string, test: () => Promise<void>) => void {
  return subject.storesOpenTransactions ? it : () => {}
}

/** Resolves when records of an open transaction are stored after the visible ones. */
async function heldBack({ queue }: Subject, topic: string): Promise<void> {
  const deadline = AbortSignal.timeout(30_000)
  // The end is read last, since it may move between the two.
  while ((await queue.highWatermark(topic, 0)) <= (await boundsOf(queue, topic)).end) {
    deadline.throwIfAborted()
    await delay(5)
  }
}
