import { type Queue, UserError } from '@headrace/queue'
import type { CreatedKey, ListedKey, NewKey, ShowKey, UsageCounts } from '@headrace/server'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { futureOption, integerOption, periodOption, timeOption } from '../options/parse-option.ts'
import { addQueueOptions, openExistingQueue, openOrMakeQueue, type QueueOptions } from '../options/queue-options.ts'
import { addExample, addQueueAction, printResult, type Results } from '../output/result.ts'
import type { Table } from '../output/table.ts'

export function addKeysCommands(program: Command, context: CommandContext): void {
  const keys = program
    .command('keys')
    .description('create, list, rotate and revoke the API keys of a queue, and show their usage')
  addCreateCommand(keys, context)
  addListCommand(keys, context)
  addRotateCommand(keys, context)
  addRevokeCommand(keys, context)
  addUsageCommand(keys, context)
}

interface CreateOptions extends QueueOptions, Omit<NewKey, 'origins' | 'show'> {
  readonly origin?: readonly string[]
  readonly json?: true
}

function addCreateCommand(keys: Command, context: CommandContext): void {
  const command = keys
    .command('create')
    .description('create an API key and print it once: only its hash is stored')
    .requiredOption('--name <name>', 'name of the key, for people')
    .addOption(
      new Option('--environment <environment>', 'environment of the gateways that accept the key')
        .choices(['production', 'development'])
        .default('development'),
    )
    .option('--topics <patterns...>', 'topics that the key may read; * matches any characters', ['*'])
    .option(
      '--origin <urls...>',
      'origins of web pages that may use the key, e.g. https://example.com or http://localhost:PORT (default: any)',
    )
    .option('--rate <count>', 'requests per second (default: 100)', integerOption(1))
    .option('--burst <count>', 'maximum number of requests in a burst (default: 200)', integerOption(1))
    .option(
      '--connections <count>',
      'maximum number of WebSocket and SSE connections at a time (default: 100)',
      integerOption(1),
    )
    .option('--require-origin', 'refuse requests without an Origin header')
    .option(
      '--expires <time>',
      'when the key expires: an RFC 3339 time, or a period from now, e.g. 90d (default: never)',
      futureOption,
    )
    // Not a result: the key is printed before it is stored.
    .option('--json', 'print a JSON object')
    .action(async (options: CreateOptions) => {
      const { checkNewKey, createKey } = await import('@headrace/server')
      const newKey: NewKey = { ...options, ...(options.origin && { origins: options.origin }) }
      checkNewKey(newKey)
      await using queue = await openOrMakeQueue(options, context)
      await showKey((show) => createKey(queue, { ...newKey, show }), context, options)
    })
  addQueueOptions(command)
  addExample(command, "connector keys create --name website --topics 'headrace.evm.*' --origin https://example.com")
}

function addListCommand(keys: Command, context: CommandContext): void {
  const command = keys
    .command('list')
    .description('list the API keys of a queue and their rights')
    .option('--all', 'include keys that have expired or were revoked')
  addQueueAction(command, 'print one JSON object per line', context, showKeys)
  addExample(command, 'connector keys list --queue kafka://localhost:9092')
}

async function* showKeys(queue: Queue, { all }: { readonly all?: true }): Results {
  const { listKeys } = await import('@headrace/server')
  const list = (await listKeys(queue)).filter(({ state }) => all || state === 'usable')
  yield { json: () => list, text: () => keyTable(list) }
}

function keyTable(list: readonly ListedKey[]): Table {
  const rows = list.map((key) => [
    ...[key.id, key.name, key.environment, key.topics.join(' '), key.origins.join(' ') || 'any'],
    ...[`${key.rate}/s, ${key.burst} at once`, `${key.connections}`, stateText(key)],
  ])
  return [['ID', 'NAME', 'ENVIRONMENT', 'TOPICS', 'ORIGINS', 'REQUESTS', 'CONNECTIONS', 'STATE'], ...rows]
}

function stateText({ state, expires, revoked }: ListedKey): string {
  if (state === 'revoked') return `revoked ${revoked}`
  if (state === 'expired') return `expired ${expires}`
  return expires === undefined ? 'usable' : `usable until ${expires}`
}

interface RotateOptions extends QueueOptions {
  /** Ms. */
  readonly grace: number
  readonly expires?: Date
  readonly json?: true
}

function addRotateCommand(keys: Command, context: CommandContext): void {
  const command = keys
    .command('rotate')
    .description('create a key with the rights of an existing one, print it once, and let the old one expire')
    .argument('<id>', 'id of the key, as "connector keys list" shows it')
    .addOption(
      new Option('--grace <period>', 'how long the old key stays valid, e.g. 7d; 0s revokes it at once')
        .argParser(periodOption)
        .default(periodOption('1d'), '1d'),
    )
    .option('--expires <time>', 'when the new key expires (default: when the old one would have expired)', futureOption)
    .option('--json', 'print a JSON object')
    .action(async (id: string, { grace, expires, ...options }: RotateOptions) => {
      await using queue = await openExistingQueue(options, context)
      const { rotateKey } = await import('@headrace/server')
      const rotation = { graceMs: grace, ...(expires && { expires }) }
      await showKey((show) => rotateKey(queue, id, { ...rotation, show }), context, options)
    })
  addQueueOptions(command)
  addExample(command, 'connector keys rotate 5f0c2b9a41d7e863 --grace 7d')
}

function addRevokeCommand(keys: Command, context: CommandContext): void {
  const command = keys
    .command('revoke')
    .description('revoke an API key permanently, and close its open connections')
    .argument('<id>', 'id of the key, as "connector keys list" shows it')
  addQueueAction(command, 'print a JSON object', context, async function* (queue, id: string) {
    const { revokeKey } = await import('@headrace/server')
    await revokeKey(queue, id)
    yield { json: () => [{ id, state: 'revoked' }], text: () => `${id} is revoked.\n` }
  })
  addExample(command, 'connector keys revoke 5f0c2b9a41d7e863')
}

interface UsageOptions {
  /** Ms since the Unix epoch. */
  readonly from: number
  readonly to: number
  readonly hourly?: true
}

function addUsageCommand(keys: Command, context: CommandContext): void {
  const command = keys
    .command('usage')
    .description('show the usage of API keys, summed over all gateways')
    .argument('[id]', 'show this key only')
    .addOption(
      new Option('--from <time>', 'first hour: an RFC 3339 time, or a time ago')
        .argParser(timeOption)
        .default(timeOption('-24h'), '-24h'),
    )
    .addOption(
      new Option('--to <time>', 'end, exclusive: a time as for --from')
        .argParser(timeOption)
        .default(Date.now(), 'now'),
    )
    .option('--hourly', 'one row per key and hour, instead of one per key')
    .hook('preAction', (command) => {
      const { from, to } = command.opts<UsageOptions>()
      if (from >= to) command.error('error: --from must be earlier than --to')
    })
  addQueueAction(command, 'print one JSON object per line', context, showUsage)
  addExample(command, 'connector keys usage 5f0c2b9a41d7e863 --from -7d --hourly')
}

async function* showUsage(queue: Queue, id: string | undefined, { from, to, hourly }: UsageOptions): Results {
  const { checkKeyExists, readUsage, sumUsage } = await import('@headrace/server')
  if (id !== undefined) await checkKeyExists(queue, id)
  const hours = await readUsage(queue, { from, to, ...(id !== undefined && { key: id }) })
  const byKey = Map.groupBy(hours, ({ key }) => key)
  const list = hourly ? hours : Array.from(byKey, ([key, used]) => ({ key, ...sumUsage(used) }))
  yield { json: () => list, text: () => usageTable(list) }
}

function usageTable(list: readonly (UsageCounts & { key: string; hour?: string })[]): Table {
  const rows = list.map(({ key, hour = '', requests, refused, records, bytes, connectionSeconds }) => [
    key,
    ...(hour ? [hour] : []),
    ...[requests, refused, records, bytes, connectionSeconds].map(String),
  ])
  const hourly = list.some(({ hour }) => hour !== undefined)
  const heading = ['KEY', ...(hourly ? ['HOUR'] : []), 'REQUESTS', 'REFUSED', 'RECORDS', 'BYTES', 'CONNECTION SECONDS']
  return [heading, ...rows]
}

/** Prints a key before it is stored, so that no key is stored that nobody has seen. */
async function showKey(
  make: (show: ShowKey) => Promise<CreatedKey>,
  { output, note, warn }: CommandContext,
  options: { readonly json?: true },
): Promise<void> {
  let printed: string | undefined
  const show: ShowKey = async ({ id, key }) => {
    const result = { json: () => [{ id, key }], text: () => `${key}\n` }
    await printResult(result, options, output).catch((cause: Error) => {
      throw new UserError('output_failed', `${cause.message} No key was created.`, { cause })
    })
    printed = id
  }
  try {
    const { id } = await make(show)
    if (!options.json) note(`Keep the key safe: it is not shown again. Its id is ${id}.`)
  } catch (error) {
    if (printed !== undefined)
      warn(`The key that was printed may not have been stored. "connector keys list" shows it as ${printed} if it was.`)
    throw error
  }
}
