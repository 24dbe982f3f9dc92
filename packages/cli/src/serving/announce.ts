import type { Queue } from '@headrace/queue'
import { revokeKey } from '@headrace/server'
import type { CommandContext } from '../command-context.ts'
import { showFirstSteps } from './first-steps.ts'
import { printAddress } from './print-address.ts'
import { createRunKey } from './run-key.ts'
import type { ServeOptions } from './serve-options.ts'

/**
 * Prints the address of the gateway and, with `--with-key`, the key of this run. The list of topics follows later:
 * neither this function nor the stop of the gateway waits for it.
 *
 * @returns a function that revokes the key.
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
