import { openQueue } from '@headrace/queue'
import { createGateway } from '@headrace/server'
import { pino } from 'pino'

// A gateway in its own process: node gateway-program.ts QUEUE PORT LIMITS OPTIONS
const [, , queueUrl, port, limits, options] = process.argv
let slowConsumers = 0
let unsent = 0
const write = (line: string) => {
  const { msg, reason, unsent: bytes } = JSON.parse(line)
  if (msg !== 'stream ended' || reason !== 'slow_consumer') return
  slowConsumers++
  unsent = Math.max(unsent, bytes)
}
const { kafka, ...others } = JSON.parse(options!)
const queue = await openQueue(queueUrl!, { kafka })
const log = pino({ level: 'info' }, { write })
const gateway = await createGateway({ queue, port: Number(port), log, limits: JSON.parse(limits!), ...others })
process.on('message', async () => {
  gc!()
  const { heapUsed, external } = process.memoryUsage()
  const gauge = (await gateway.metrics()).find(({ name }) => name === 'headrace_gateway_connections')
  const connections = gauge!.values.reduce((sum, { value }) => sum + value, 0)
  process.send!({ slowConsumers, unsent, memory: heapUsed + external, connections })
})
process.once('SIGTERM', async () => {
  await gateway.close()
  await queue.close()
  process.disconnect()
})
process.send!({ url: gateway.url })
