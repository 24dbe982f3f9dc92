import { PositionUnavailableError } from '@headrace/catalog'
import { HeadraceError, PositionLostError, RetryableError, UnknownTopicError } from '@headrace/queue'
import { RefusedError } from '../errors.ts'

/** What a client is told about an error, the same in all three protocols. What it need not know stays in the log. */
export function toRefusal(error: unknown): RefusedError {
  if (error instanceof RefusedError) return error
  if (error instanceof PositionUnavailableError)
    return new RefusedError('position_unavailable', error.message, {
      members: { topic: error.topic, earliest: error.earliest, reason: error.reason },
    })
  if (error instanceof PositionLostError)
    return new RefusedError('position_unavailable', 'The records of this position have just been removed.', {
      members: { topic: error.topic },
    })
  if (error instanceof UnknownTopicError)
    return new RefusedError('topic_not_found', 'There is no topic of this name.', { members: { topic: error.topic } })
  if (error instanceof RetryableError)
    return new RefusedError('overloaded', 'The queue does not answer at this moment.', {
      headers: { 'retry-after': '1' },
      cause: error,
    })
  if (error instanceof HeadraceError && error.code === 'invalid_cursor')
    return new RefusedError('invalid_cursor', error.message)
  if (error instanceof HeadraceError && error.code === 'invalid_position')
    return new RefusedError('invalid_parameter', error.message)
  return new RefusedError('internal', 'Something failed that should not have. The request id finds it in the log.', {
    cause: error,
  })
}
