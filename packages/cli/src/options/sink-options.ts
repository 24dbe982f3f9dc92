import type { Finality } from '@headrace/sink'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { gatewayOption, integerOption, periodOption } from './parse-option.ts'

export interface SinkOptions {
  readonly topic: readonly SinkTopicOption[]
  readonly from?: string
  readonly name: string
  readonly schema: string
  readonly primaryKey: 'seq' | 'key'
  readonly onBadValue: 'stop' | 'null'
  readonly maxRows?: number
  readonly maxAge?: number
  readonly state?: string
  readonly batch?: number
}

export interface SinkTopicOption {
  readonly topic: string
  readonly table?: string
}

/** What is stored, and where: for `sink`, and for `verify --sink`. */
export function addSinkOptions(command: Command): Command {
  return command
    .option(
      '--topic <topic[=table]>',
      'a topic, and its table in PostgreSQL or its folder; may be given several times',
      topicOption,
      [],
    )
    .option(
      '--from <url>',
      'read from this gateway, with the key in HEADRACE_API_KEY, instead of from a queue',
      gatewayOption,
    )
    .option('--name <name>', 'name of the sink: those of one destination need different names', nameOption, 'headrace')
    .option('--schema <name>', 'for PostgreSQL: schema of the tables', 'public')
    .addOption(
      new Option(
        '--primary-key <columns>',
        'for PostgreSQL: a row per record (seq), or the newest one of each record key (key)',
      )
        .choices(['seq', 'key'])
        .default('seq'),
    )
    .addOption(
      new Option('--on-bad-value <action>', 'for PostgreSQL: stop at a text with NUL, or store NULL for it')
        .choices(['stop', 'null'])
        .default('stop'),
    )
}

export function addWebhookOptions(command: Command): Command {
  return command
    .option('--state <folder>', 'for webhooks: where the cursors are kept', '.headrace/sinks')
    .addOption(
      new Option('--batch <records>', 'for webhooks: records of a partition in a request, 1 to 1,000')
        .argParser(integerOption(1, 1000))
        .default(1),
    )
}

export interface SinkWriteOptions {
  readonly final: Finality
}

/** What only a sink needs that writes. */
export function addSinkWriteOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--final <when>',
        'for Parquet: a record is stored once its connector declares it final (declared), or as it is published, for ' +
          'connectors that never revert (at-once)',
      )
        .choices(['declared', 'at-once'])
        .default('declared'),
    )
    .option('--max-rows <count>', 'for Parquet: a file ends at about this number of rows', integerOption(1), 1_000_000)
    .addOption(
      new Option('--max-age <period>', 'for Parquet: a record is in a file after this period')
        .argParser(periodOption)
        .default(periodOption('1h'), '1h'),
    )
}

/** @throws {CommanderError} no topic was given. */
export function checkTopics(command: Command, { topic }: Pick<SinkOptions, 'topic'>): void {
  if (topic.length === 0) command.error('error: at least one --topic is needed, with its full name')
}

function topicOption(text: string, earlier: readonly SinkTopicOption[]): SinkTopicOption[] {
  const [topic = '', table, ...others] = text.split('=')
  if (topic === '' || table === '' || others.length > 0)
    throw new InvalidArgumentError('It must be the full name of a topic, or TOPIC=TABLE.')
  if (earlier.some((one) => one.topic === topic)) throw new InvalidArgumentError(`"${topic}" is given twice.`)
  return [...earlier, { topic, ...(table !== undefined && { table }) }]
}

function nameOption(text: string): string {
  if (/^[A-Za-z0-9._-]{1,64}$/.test(text)) return text
  throw new InvalidArgumentError('It must have 1 to 64 characters of A–Z, a–z, 0–9, ".", "_" and "-".')
}
