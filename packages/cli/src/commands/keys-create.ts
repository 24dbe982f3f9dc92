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
    .description('make an API key and print it, once: only its hash is kept')
    .requiredOption('--name <name>', 'what the key is for')
    .addOption(
      new Option('--environment <environment>', 'which gateways take it')
        .choices(['production', 'development'])
        .default('development'),
    )
    .option('--topics <patterns...>', 'topics it may read; * stands for any characters', ['*'])
    .option(
      '--origin <urls...>',
      'origins of the web pages that may use it: https://example.com, http://localhost:PORT',
    )
    .option('--rate <count>', 'requests a second', integerOption(1))
    .option('--burst <count>', 'requests at once', integerOption(1))
    .option('--connections <count>', 'WebSocket and SSE connections at once', integerOption(1))
    .option('--require-origin', 'refuse requests without an Origin header')
    .option('--expires <time>', 'when it stops working: an RFC 3339 time, or from now on, e.g. 90d', futureOption)
    .option('--json', 'a JSON object')
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
