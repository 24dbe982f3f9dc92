import { type QueueCheckpoint, type QueueInput, queueSource, type Source, UserError } from '@headrace/sdk'
import type { schema } from './generated/schema.ts'
import { isRecorded, readRecorded } from './recorded-input.ts'

/** What is read, by the name under which it is handed out. */
export interface Input {
  Rate: Rate
}

/** A value as readers of the topic get it: `connector types TOPIC` prints its type. */
export interface Rate {
  ts: string
  base: string
  currency: string
  value: number
}

/** Opens the topic of the setting `input`. Without it, what is in `recorded/` stands in. */
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
    'What is made of recorded/ and of a topic must not be in one topic, and the other one is there already. Set ' +
      'CONNECTOR_INPUT as it was, or begin anew: raise topicVersion in manifest.yaml.',
  )
}
