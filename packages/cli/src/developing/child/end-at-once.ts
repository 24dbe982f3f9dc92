import { HeadraceError, UserError } from '@headrace/queue'
import type { Connector, Schema } from '@headrace/sdk'

/**
 * Ends the run at once, without retries, if a child process ends before its first unit: during development its code is
 * probably broken.
 */
export function endAtOnce(connector: Connector<Schema, unknown>): Connector<Schema, unknown> {
  let hasYielded = false
  return {
    ...connector,
    async *read(source) {
      try {
        for await (const unit of connector.read(source)) {
          hasYielded = true
          yield unit
        }
      } catch (error) {
        const isChild = error instanceof HeadraceError && error.code === 'child_ended'
        throw isChild && !hasYielded ? new UserError(error.code, error.message, { cause: error }) : error
      }
    },
  }
}
