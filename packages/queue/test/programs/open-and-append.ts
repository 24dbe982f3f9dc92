import { openQueue } from '@headrace/queue'

/** Opens the queue in its first argument, creates the topic `opened` and appends one record: its process id. */
const queue = await openQueue(process.argv[2])
await queue.createTopics([{ name: 'opened', partitions: 2 }])
await queue.append([{ topic: 'opened', key: null, value: Buffer.from(`${process.pid}`), time: 0 }])
await queue.close()
