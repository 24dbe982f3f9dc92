import { openQueue } from '@headrace/queue'
import { createGateway } from '@headrace/server'
import { pino } from 'pino'

// A gateway in a process of its own, to be killed or stopped: node gateway.ts QUEUE PORT
const [, , queueUrl, port] = process.argv
const queue = await openQueue(queueUrl!)
const gateway = await createGateway({ queue, port: Number(port), log: pino({ level: 'silent' }) })
console.log(gateway.url)
process.once('SIGTERM', async () => {
  await gateway.close()
  await queue.close()
})
