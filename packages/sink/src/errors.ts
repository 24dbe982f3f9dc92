import { ClientError, PositionUnavailableError, UnavailableError } from '@headrace/client'
import { type HeadraceError, RetryableError, UserError } from '@headrace/queue'

export const sinkErrorCodes = [
  'invalid_destination',
  'unmappable_topic',
  'unmappable_value',
  'destination_refused',
  'destination_unavailable',
  'sink_taken_over',
  'record_not_final',
  'gateway_unavailable',
  'schema_changed',
  'invalid_webhook_secret',
] as const

/** Another run of the sink has written to the destination. */
export function takenOver(sink: string): UserError {
  return new UserError(
    'sink_taken_over',
    `Another run of the sink "${sink}" has written to the destination, so this run stops. If that run is active, keep ` +
      'it. Two sinks with different content need different names.',
  )
}

/** Errors of the client, as those of the other packages. */
export function convertClientError(error: unknown): unknown {
  if (!(error instanceof ClientError)) return error
  if (error instanceof UnavailableError)
    return new RetryableError('gateway_unavailable', `The gateway cannot be read: ${error.message}`, { cause: error })
  return new UserError(error.code, `${error.message}${remedyOf(error)}`, { cause: error }) satisfies HeadraceError
}

function remedyOf(error: ClientError): string {
  if (!(error instanceof PositionUnavailableError)) return ''
  return (
    ' The destination was left as it is. To fill it from the beginning, use another name for the sink, or another ' +
    'destination.'
  )
}
