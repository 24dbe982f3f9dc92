import { inspect } from 'node:util'
import { errorReason, HeadraceError } from '@headrace/queue'

/** Every code that this package throws, except those of the queue and the catalog. */
export const sdkErrorCodes = [
  'invalid_connector',
  'schema_mismatch',
  'invalid_unit',
  'unit_too_large',
  'reorganisation_below_final',
  'records_lost',
  'bad_message',
  'source_failed',
  'checkpoint_moved',
  'checkpoint_behind',
  'input_missing',
  'input_lost',
  'input_changed',
  'invalid_input',
  'child_not_started',
  'child_not_ready',
  'child_stalled',
  'child_ended',
  'child_failed',
  'child_protocol',
  'source_unavailable',
  'reset_refused',
  'nothing_published',
] as const

/** `read` has failed for longer than the budget. `cause` is the last error it threw. */
export class SourceFailedError extends HeadraceError {
  constructor(budgetMs: number, cause: unknown) {
    const reason = describeThrown(cause)
    super('source_failed', `The source has failed for ${Math.round(budgetMs / 1000)} s, last with: ${reason}`, {
      cause,
    })
  }
}

export function describeThrown(thrown: unknown): string {
  if (thrown instanceof Error) return errorReason(thrown)
  return typeof thrown === 'string' ? thrown : inspect(thrown)
}
