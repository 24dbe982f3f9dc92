import type { NewKey } from '@headrace/server'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addExample } from '../options/example.ts'
import { futureOption, integerOption } from '../options/parse-option.ts'
import { addQueueOptions, openOrMakeQueue, type QueueOptions } from '../options/queue-options.ts'
import { showKey } from '../output/show-key.ts'

interface KeysCreateOptions extends QueueOptions {
  readonly name: string
  readonly environment: NewKey['environment']
  readonly topics: readonly string[]
  readonly origin?: readonly string[]
  readonly rate?: number
  readonly burst?: number
  readonly connections?: number
  readonly requireOrigin?: true
  readonly expires?: Date
  readonly json?: true
}

export function addKeysCreateCommand(keys: Command, context: CommandContext): void {
  const command = keys
    .command('create')
    .description('create an API key and print it once: only its hash is stored')
    .requiredOption('--name <name>', 'name of the key, for people')
    .addOption(
      new Option('--environment <environment>', 'gateways that accept the key')
        .choices(['production', 'development'])
        .default('development'),
    )
    .option('--topics <patterns...>', 'topics that the key may read; * matches any characters', ['*'])
    .option(
      '--origin <urls...>',
      'origins of web pages that may use the key: https://example.com, http://localhost:PORT',
    )
    .option('--rate <count>', 'requests per second', integerOption(1))
    .option('--burst <count>', 'most requests in a burst', integerOption(1))
    .option('--connections <count>', 'most WebSocket and SSE connections at a time', integerOption(1))
    .option('--require-origin', 'refuse requests without an Origin header')
    .option('--expires <time>', 'when the key expires: an RFC 3339 time, or a period from now, e.g. 90d', futureOption)
    .option('--json', 'print a JSON object')
    .action(async (options: KeysCreateOptions) => {
      const { checkNewKey, createKey } = await import('@headrace/server')
      const wanted = asNewKey(options)
      checkNewKey(wanted)
      const queue = await openOrMakeQueue(options, context)
      try {
        await showKey((show) => createKey(queue, { ...wanted, show }), context, options)
      } finally {
        await queue.close()
      }
    })
  addQueueOptions(command)
  addExample(command, "connector keys create --name website --topics 'headrace.evm.*' --origin https://example.com")
}

function asNewKey(options: KeysCreateOptions): NewKey {
  const { name, environment, topics, origin, requireOrigin, rate, burst, connections, expires } = options
  return {
    name,
    environment,
    topics,
    ...(origin && { origins: origin }),
    ...(requireOrigin && { requireOrigin }),
    ...(rate !== undefined && { rate }),
    ...(burst !== undefined && { burst }),
    ...(connections !== undefined && { connections }),
    ...(expires && { expires }),
  }
}
