import type { NewRecord, Queue, Transaction, Writer } from '@headrace/queue'

/** A queue whose writers send altered records. */
export function alteringQueue(queue: Queue, alter: (record: NewRecord) => NewRecord): Queue {
  return {
    engine: queue.engine,
    createTopics: (specs) => queue.createTopics(specs),
    describe: (topics) => queue.describe(topics),
    append: (records) => queue.append(records),
    read: (at, limits) => queue.read(at, limits),
    latest: (topic, partition, key) => queue.latest(topic, partition, key),
    highWatermark: (topic, partition) => queue.highWatermark(topic, partition),
    offsetForTime: (topic, partition, timeMs) => queue.offsetForTime(topic, partition, timeMs),
    deleteBefore: (topic, partition, offset) => queue.deleteBefore(topic, partition, offset),
    follow: (positions, options) => queue.follow(positions, options),
    metrics: () => queue.metrics(),
    close: () => queue.close(),
    openWriter: async (options) => alteringWriter(await queue.openWriter(options), alter),
  }
}

function alteringWriter(writer: Writer, alter: (record: NewRecord) => NewRecord): Writer {
  const begin = (): Transaction => {
    const transaction = writer.begin()
    return {
      send: (record) => transaction.send(alter(record)),
      drain: () => transaction.drain(),
      commit: () => transaction.commit(),
      abort: () => transaction.abort(),
    }
  }
  return { begin, checkClaim: () => writer.checkClaim(), close: () => writer.close() }
}
