import { once } from 'node:events'
import { kafkaVersion } from '../../packages/testbed/kafka/distribution.ts'
import { isFree } from '../../packages/testbed/kafka/free-ports.ts'
import { startOwnKafka } from '../../packages/testbed/kafka/start-kafka.ts'
import { parseArguments } from '../build/arguments.js'

const { values } = parseArguments({
  options: { port: { type: 'string', default: '9092' }, 'transaction-version': { type: 'string', default: '2' } },
})
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interrupted.abort())

try {
  process.exitCode = await run(Number(values.port), interrupted.signal)
} catch (error) {
  if (!interrupted.signal.aborted) throw error
}

async function run(port: number, signal: AbortSignal): Promise<number> {
  if (!(await isFree(port))) {
    console.error(`Port ${port} is taken. Choose another one: npm run kafka -- --port 19092`)
    return 1
  }
  console.error(`Starting Kafka ${kafkaVersion}. The first time it is downloaded.`)
  const transactionVersion = values['transaction-version'] === '0' ? 0 : 2
  const kafka = await startOwnKafka({ signal, port, transactionVersion })
  if ('unavailable' in kafka) {
    console.error(`Kafka cannot be started: ${kafka.unavailable}.`)
    return 1
  }
  console.log(`kafka://${kafka.bootstrap}`)
  console.error('Ctrl-C ends it and removes its data.')
  if (!signal.aborted) await once(signal, 'abort')
  await kafka.stop()
  return 0
}
