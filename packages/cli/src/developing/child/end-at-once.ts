import { HeadraceError, UserError } from '@headrace/queue'
import type { Connector, Schema } from '@headrace/sdk'

/**
 * Makes a child process that has never come to its first unit end the run at once, with what it said last: while a
 * connector is developed that is an edit which does not run, and trying again shows the same over and over.
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
