import { PositionLostError, RetryableError, UserError } from '@headrace/queue'

/** The topic is not there yet: the connector that publishes it has never run on this queue. */
export function inputMissing(topic: string): RetryableError {
  return new RetryableError(
    'input_missing',
    `There is no input topic "${topic}" in this queue yet. Check its name, and start the connector that publishes it.`,
  )
}

/** Something between the last unit read and what can be read now is gone. */
export function inputLost(topic: string, what: string, cause?: Error): UserError {
  return new UserError(
    'input_lost',
    `The input "${topic}" cannot be gone on with: ${what}. Nothing was skipped. Keep the records of the input for ` +
      'longer than this connector may be down. To go on without what is gone, publish anew: a new topicVersion in ' +
      'manifest.yaml.',
    cause && { cause },
  )
}

/** Says of a lost position what that means for whoever reads it as input. Other errors are handed back. */
export function inputError(error: unknown): unknown {
  if (!(error instanceof PositionLostError)) return error
  const { topic, partition, offset, earliest, end } = error
  const what = {
    out_of_range:
      offset < earliest
        ? `retention removed the offsets ${offset} to ${earliest} of partition ${partition} before they were read`
        : `partition ${partition} ends at offset ${end}, and was read up to ${offset}`,
    recreated: 'the topic was deleted and created anew',
    truncated: `the brokers have lost records of partition ${partition} that were read`,
  }
  return inputLost(topic, what[error.reason], error)
}

/** The checkpoint is one of other input topics. */
export function inputChanged(before: readonly string[], now: readonly string[]): UserError {
  return new UserError(
    'input_changed',
    `The topics published so far were made of the input ${before.join(', ')}, and now it is ${now.join(', ')}. ` +
      'Read the same topics, or publish anew: a new topicVersion in manifest.yaml.',
  )
}

export function invalidInput(message: string): UserError {
  return new UserError('invalid_input', message)
}
