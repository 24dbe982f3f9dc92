import { PositionUnavailableError } from '@headrace/catalog'
import { HeadraceError, PositionLostError, RetryableError, UnknownTopicError } from '@headrace/queue'
import { BusyError, type Refusal, RequestError, refuse } from '../errors.ts'

/** What a client is told about an error, the same in all three protocols. What it need not know stays in the log. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof RequestError || error instanceof BusyError) return error
  if (error instanceof PositionUnavailableError)
    return refuse('position_unavailable', error.message, {
      members: { topic: error.topic, earliest: error.earliest, reason: error.reason },
    })
  if (error instanceof PositionLostError)
    return refuse('position_unavailable', 'The records of this position have just been removed.', {
      members: { topic: error.topic },
    })
  if (error instanceof UnknownTopicError)
    return refuse('topic_not_found', 'There is no topic of this name.', { members: { topic: error.topic } })
  if (error instanceof RetryableError)
    return refuse('overloaded', 'The queue does not answer at this moment.', { headers: { 'retry-after': '1' } }, error)
  if (error instanceof HeadraceError && error.code === 'invalid_cursor') return refuse('invalid_cursor', error.message)
  if (error instanceof HeadraceError && error.code === 'invalid_position')
    return refuse('invalid_parameter', error.message)
  return refuse('internal', 'Something failed that should not have. The request id finds it in the log.', {}, error)
}
