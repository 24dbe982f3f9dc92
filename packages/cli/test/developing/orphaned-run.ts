/** Runs a connector as `connector dev` does, but waits shorter for its end: `orphaned-run.ts DIR QUEUE`. */
import { startRunProcess } from '../../src/developing/run-process.ts'
import { createLogging } from '../../src/logging/logger.ts'

const [dir, queue] = process.argv.slice(2) as [string, string]
startRunProcess({
  start: { dir, options: { queue, set: [], onBadMessage: 'stop', metricsHost: '127.0.0.1' }, width: 80 },
  logging: createLogging(process.stderr),
  note: undefined,
  onMessage: () => {},
  orphanMs: 10,
})
