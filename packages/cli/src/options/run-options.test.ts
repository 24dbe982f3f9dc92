import { expect, test } from 'vitest'
import { runtimeOptions } from './run-options.ts'

test('the runtime gets the options of the command', () => {
  const options = { onBadMessage: 'stop', group: 'off', newTopics: true, publishAgain: true } as const
  const metrics = { port: 9000, host: '127.0.0.1' }
  const command = { set: [], metricsPort: metrics.port, metricsHost: metrics.host, queue: 'embedded:.headrace' }
  expect(runtimeOptions({ ...command, ...options })).toEqual({ ...options, metrics })
})
