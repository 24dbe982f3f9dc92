/** Starts a Kafka in the foreground, prints its address and runs until it is interrupted. */
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { startKafka } from './start-kafka.ts'

const { values } = parseArgs({ options: { 'transaction-version': { type: 'string', default: '2' } } })
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupted.abort())

const kafka = await startKafka({
  signal: interrupted.signal,
  transactionVersion: values['transaction-version'] === '0' ? 0 : 2,
})
if ('unavailable' in kafka) {
  console.error(`There is no Kafka: ${kafka.unavailable}.`)
  process.exitCode = 1
} else {
  console.log(kafka.bootstrap)
  if (!interrupted.signal.aborted) await once(interrupted.signal, 'abort')
  await kafka.stop()
}
