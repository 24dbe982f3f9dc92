import { revokeKey } from '@headrace/server'
import type { CommandContext } from '../command-context.ts'
import { openExistingQueue, type QueueOptions } from '../options/queue-options.ts'
import { startGateway } from './run-gateway.ts'
import { createRunKey } from './run-key.ts'

/**
 * Reads a queue through a gateway of its own, so that its answers are those of every gateway.
 *
 * @param name - Of the key, which is revoked at the end.
 */
export async function withGateway<Result>(
  options: QueueOptions,
  { name, context }: { readonly name: string; readonly context: CommandContext },
  use: (gateway: { readonly url: string; readonly key: string }) => Promise<Result>,
): Promise<Result> {
  const log = context.startLogging().log.child({}, { level: 'warn' })
  await using queue = await openExistingQueue(options, context, { log })
  // Before the gateway starts, which then knows it at once.
  const { id, key } = await createRunKey(queue, name)
  try {
    const gateway = await startGateway({ queue, log, host: '127.0.0.1', port: 0, environment: 'development' })
    try {
      return await use({ url: gateway.url, key })
    } finally {
      await gateway.close()
    }
  } finally {
    await revokeKey(queue, id)
  }
}
