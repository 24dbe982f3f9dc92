import type { NewRecord, Queue, Transaction, Writer } from '@headrace/queue'

/** The calls of a run to its queue, in order: `openWriter`, `send <topic>`, `commit`, … */
export type QueueCalls = string[]

/** Records the calls to a queue. */
export function recordingQueue(queue: Queue, calls: QueueCalls): Queue {
  const noted = <A extends unknown[], R>(name: string, call: (...args: A) => R, what?: (...args: A) => string) => {
    return (...args: A): R => {
      calls.push(what ? `${name} ${what(...args)}` : name)
      return call(...args)
    }
  }
  const topics = (list: readonly ({ readonly topic: string } | { readonly name: string })[]) =>
    [...new Set(list.map((one) => ('topic' in one ? one.topic : one.name)))].join(' ')
  return {
    engine: queue.engine,
    createTopics: noted('createTopics', queue.createTopics.bind(queue), topics),
    describe: (names) => queue.describe(names),
    append: noted('append', queue.append.bind(queue), topics),
    read: noted('read', queue.read.bind(queue), ({ topic }) => topic),
    latest: noted('latest', queue.latest.bind(queue), (topic) => topic),
    highWatermark: noted('highWatermark', queue.highWatermark.bind(queue), (topic) => topic),
    offsetForTime: queue.offsetForTime.bind(queue),
    deleteBefore: queue.deleteBefore.bind(queue),
    follow: queue.follow.bind(queue),
    metrics: queue.metrics.bind(queue),
    close: queue.close.bind(queue),
    async openWriter(options) {
      calls.push('openWriter')
      return recordingWriter(await queue.openWriter(options), calls)
    },
  }
}

function recordingWriter(writer: Writer, calls: QueueCalls): Writer {
  return {
    begin() {
      calls.push('begin')
      return recordingTransaction(writer.begin(), calls)
    },
    checkClaim: () => writer.checkClaim(),
    close() {
      calls.push('close writer')
      return writer.close()
    },
  }
}

function recordingTransaction(transaction: Transaction, calls: QueueCalls): Transaction {
  return {
    send(record: NewRecord) {
      calls.push(`send ${record.topic}`)
      transaction.send(record)
    },
    drain: () => transaction.drain(),
    commit() {
      calls.push('commit')
      return transaction.commit()
    },
    abort() {
      calls.push('abort')
      return transaction.abort()
    },
  }
}
