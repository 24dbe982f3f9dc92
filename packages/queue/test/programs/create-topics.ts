import { openQueue } from '@headrace/queue'

/** Opens the queue in its first argument and creates topics with unique names. */
const queue = await openQueue(process.argv[2])
for (let number = 0; number < 20; number++) {
  await queue.createTopics([{ name: `${process.pid}.${number}`, partitions: 2 }])
}
await queue.close()
