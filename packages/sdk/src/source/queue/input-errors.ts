import { PositionLostError, RetryableError, UserError } from '@headrace/queue'

export function inputMissing(topic: string): RetryableError {
  return new RetryableError(
    'input_missing',
    `This queue has no input topic "${topic}" yet. Check its name, and start the connector that publishes it.`,
  )
}

export function inputLost(topic: string, what: string, cause?: Error): UserError {
  return new UserError(
    'input_lost',
    `The input "${topic}" cannot be continued: ${what}. Nothing was skipped. Keep the records of the input for ` +
      'longer than this connector may be down. To continue without the missing records, publish to new topics: set ' +
      'another topicVersion in manifest.yaml.',
    cause && { cause },
  )
}

export function inputError(error: unknown): unknown {
  if (!(error instanceof PositionLostError)) return error
  const { topic, partition, offset, earliest, end } = error
  const what = {
    out_of_range:
      offset < earliest
        ? `retention removed the offsets ${offset} to ${earliest} of partition ${partition} before they were read`
        : `partition ${partition} ends at offset ${end}, but was read up to ${offset}`,
    recreated: 'the topic was deleted and created again',
    truncated: `the brokers have lost records of partition ${partition} that were read`,
  }
  return inputLost(topic, what[error.reason], error)
}

export function inputChanged(before: readonly string[], now: readonly string[]): UserError {
  return new UserError(
    'input_changed',
    `The connector has published from the input ${before.join(', ')}, and now reads ${now.join(', ')}. ` +
      'Read the same topics, or publish to new topics: set another topicVersion in manifest.yaml.',
  )
}

export function invalidInput(message: string): UserError {
  return new UserError('invalid_input', message)
}
