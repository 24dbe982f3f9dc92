import type { Gateway } from '@headrace/server'
import type { CommandContext } from '../command-context.ts'
import { openExistingQueue, type QueueOptions } from '../options/queue-options.ts'
import { startGateway } from './run-gateway.ts'

/** Reads a queue through a gateway of its own, so that its answers are those of every gateway. */
export async function withGateway<Result>(
  options: QueueOptions,
  context: CommandContext,
  use: (gateway: Gateway) => Promise<Result>,
): Promise<Result> {
  const log = context.startLogging().log.child({}, { level: 'warn' })
  await using queue = await openExistingQueue(options, context, { log })
  const { schemaRegistries } = context.environment
  const gateway = await startGateway({
    ...{ queue, log, host: '127.0.0.1', port: 0, environment: 'development', schemaRegistries },
  })
  try {
    return await use(gateway)
  } finally {
    await gateway.close()
  }
}
