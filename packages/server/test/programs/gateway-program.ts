import { openQueue } from '@headrace/queue'
import { createGateway } from '@headrace/server'
import { pino } from 'pino'

// A gateway in a process of its own, with other limits: node gateway-program.ts QUEUE LIMITS
const [, , queueUrl, limits] = process.argv
let slowConsumers = 0
let unsent = 0
const write = (line: string) => {
  const { msg, reason, unsent: bytes } = JSON.parse(line)
  if (msg !== 'stream ended' || reason !== 'slow_consumer') return
  slowConsumers++
  unsent = Math.max(unsent, bytes)
}
const queue = await openQueue(queueUrl!)
const log = pino({ level: 'info' }, { write })
const gateway = await createGateway({ queue, port: 0, log, limits: JSON.parse(limits!) })
process.on('message', () => process.send!({ slowConsumers, unsent, memory: process.memoryUsage().rss }))
process.send!({ url: gateway.url })
