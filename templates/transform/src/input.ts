import { type QueueCheckpoint, type QueueInput, queueSource, type Source, UserError } from '@headrace/sdk'
import type { schema } from './generated/schema.ts'
import type { Input } from './rate.ts'
import { isRecorded, readRecorded } from './recorded-input.ts'

/** Opens the topic of the setting `input`, or without it the recording in `recorded/`. */
export function openInput(source: Source<typeof schema, QueueCheckpoint>): AsyncIterable<QueueInput<Input>> {
  const { config, history, log } = source
  const [newest] = history()
  if (newest !== undefined && isRecorded(newest) !== (config.input === undefined)) throw mixed()
  if (config.input !== undefined)
    return queueSource<Input>(source, { topics: { Rate: config.input }, follow: config.follow })
  log.warn('reading recorded/rates.json, made-up rates: set CONNECTOR_INPUT in .env to read a topic')
  return readRecorded(source)
}

function mixed(): UserError {
  return new UserError(
    'mixed_input',
    'The output topic was made from recorded/ and CONNECTOR_INPUT is now set, or it was made from a topic and ' +
      'CONNECTOR_INPUT is no longer set. Records of both must not be in one topic. Set CONNECTOR_INPUT as before, or ' +
      'raise topicVersion in manifest.yaml to publish to new topics.',
  )
}
