/** A gateway, as `connector serve` runs it: `node gateway-program.ts QUEUE [PORT]`. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openQueue } from '@headrace/queue'
import { createGateway } from '@headrace/server'
import { destination, pino } from 'pino'
import { createGroupedLines } from '../../../packages/cli/src/logging/grouped-lines.ts'
import { serveCalls } from '../program.ts'

const queue = await openQueue(process.argv[2]!)
const gateway = await createGateway({
  queue,
  port: Number(process.argv[3] ?? 0),
  // As behind a cache.
  cache: 'public',
  log: pino({ level: 'info' }, createGroupedLines(destination({ dest: '/dev/null', sync: true }))),
})
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
serveCalls({
  url: () => gateway.url,
  /** How many requests it has answered. */
  async requests() {
    const durations = (await gateway.metrics()).find(({ name }) => name === 'headrace_gateway_request_duration_seconds')
    const counts = durations!.values.filter(
      (value) => 'metricName' in value && `${value.metricName}`.endsWith('_count'),
    )
    return counts.reduce((sum, { value }) => sum + value, 0)
  },
  collectGarbage() {
    collectGarbage()
  },
})
