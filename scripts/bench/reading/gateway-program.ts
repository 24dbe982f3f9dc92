/** A gateway, as `connector serve` runs it: `node gateway-program.ts QUEUE`. */
import { openQueue } from '@headrace/queue'
import { createGateway } from '@headrace/server'
import { destination, pino } from 'pino'
import { createGroupedLines } from '../../../packages/cli/src/logging/grouped-lines.ts'
import { serveCalls } from '../program.ts'

const queue = await openQueue(process.argv[2]!)
const gateway = await createGateway({
  queue,
  port: 0,
  log: pino({ level: 'info' }, createGroupedLines(destination({ dest: '/dev/null', sync: true }))),
})
serveCalls({ url: () => gateway.url })
