import type { Queue } from '@headrace/queue'
import { revokeKey } from '@headrace/server'
import type { CommandContext } from '../command-context.ts'
import { showFirstSteps } from './first-steps.ts'
import { printAddress } from './print-address.ts'
import { createRunKey } from './run-key.ts'
import type { ServeOptions } from './serve-options.ts'

/**
 * Prints where the gateway answers, with the key of this run where one is wanted. What to do first follows while the
 * gateway already serves: neither its stop nor a queue that is away waits for it.
 *
 * @returns revokes the key of this run.
 */
export async function announce(
  queue: Queue,
  { url, options, signal }: { readonly url: string; readonly options: ServeOptions; readonly signal: AbortSignal },
  context: CommandContext,
): Promise<() => Promise<void>> {
  const made = options.withKey ? await createRunKey(queue, 'serve --with-key') : undefined
  await printAddress({ url, key: made?.key }, options, context)
  showFirstSteps(queue, { url, key: made?.key, options }, context).catch((error: Error) => {
    if (!signal.aborted) context.warn(`The topics cannot be listed: ${error.message}`)
  })
  return async () => {
    if (made) await revokeKey(queue, made.id)
  }
}
