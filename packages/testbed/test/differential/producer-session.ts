import type { AskedBatch } from './script.ts'

/** A producer id and epoch, and its acknowledged batches. */
export interface ProducerSession {
  readonly producerId: bigint
  readonly epoch: number
  /** The acknowledged batches of each partition, in order. */
  acknowledged(topic: string, partition: number): readonly SentBatch[]
  sent(topic: string, partition: number, batch: SentBatch): void
}

interface SentBatch {
  /** Its sequence number. */
  readonly first: number
  readonly count: number
}

export function openSession(producerId: bigint, epoch: number): ProducerSession {
  const batches = new Map<string, SentBatch[]>()
  const of = (topic: string, partition: number) => batches.get(`${topic}/${partition}`) ?? []
  return {
    producerId,
    epoch,
    acknowledged: of,
    sent(topic, partition, batch) {
      const before = of(topic, partition)
      if (before.some(({ first }) => first === batch.first)) return
      batches.set(`${topic}/${partition}`, [...before, batch])
    },
  }
}

/** The session of a writer that a step uses. If there is none, one that no broker has issued. */
export function sessionOfAge(sessions: readonly ProducerSession[], age: number): ProducerSession {
  const newest = sessions.at(-1)
  if (!newest) return openSession(unknownProducerId, 0)
  if (age < 0) return openSession(newest.producerId, Math.min(newest.epoch + unusedEpochs, highestEpoch))
  return sessions.at(-1 - age) ?? newest
}

/** More than the maximum lead of the coordinator. */
const unusedEpochs = 3
const highestEpoch = 2 ** 15 - 1
const unknownProducerId = 987_654_321n

export function sequenceOf(session: ProducerSession, { topic, partition, sequence }: AskedBatch): number {
  const sent = session.acknowledged(topic, partition)
  const last = sent.at(-1)
  const next = last ? last.first + last.count : 0
  switch (sequence) {
    case 'next':
      return next
    case 'last again':
      return last?.first ?? 0
    case 'third last again':
      return sent.at(-3)?.first ?? 0
    case 'seventh last again':
      return sent.at(-7)?.first ?? 0
    case 'gap':
      return next + 5
    case 'zero':
      return 0
  }
}
