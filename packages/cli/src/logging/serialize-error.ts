import { errorReason } from '@headrace/queue'
import { pino, type SerializedError } from 'pino'

/** An error as pino logs it, with a message that holds the reason which the network gave. */
export function serializeError(error: Error): SerializedError {
  return { ...pino.stdSerializers.err(error), message: errorReason(error) }
}
