import { errorReason } from '@headrace/queue'
import { pino, type SerializedError } from 'pino'

/** An error as pino logs it, with the reason of a network error in its message. */
export function serializeError(error: Error): SerializedError {
  return { ...pino.stdSerializers.err(error), message: errorReason(error) }
}
