import { type Queue, UserError } from '@headrace/queue'
import type { CreatedKey, ListedKey, NewKey, ShowKey } from '@headrace/server'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addKeyOptions, type ChosenKeyOptions, type KeyChangeOptions, keyChangeOf } from '../options/key-options.ts'
import { futureOption, periodOption } from '../options/parse-option.ts'
import { addQueueOptions, openExistingQueue, openOrMakeQueue, type QueueOptions } from '../options/queue-options.ts'
import { addExample, addQueueAction, printResult, type Results } from '../output/result.ts'
import { formatFacts, type Table } from '../output/table.ts'
import { addUsageCommand } from './keys-usage.ts'

export function addKeysCommands(program: Command, context: CommandContext): void {
  const keys = program
    .command('keys')
    .description('create, list, change, rotate and revoke the API keys of a queue, and show their usage')
  addCreateCommand(keys, context)
  addListCommand(keys, context)
  addShowCommand(keys, context)
  addUpdateCommand(keys, context)
  addRotateCommand(keys, context)
  addRevokeCommand(keys, context)
  addUsageCommand(keys, context)
}

interface CreateOptions extends QueueOptions, Omit<ChosenKeyOptions, 'name'>, Pick<NewKey, 'name' | 'environment'> {
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
  addKeyOptions(command, 'new')
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
    ...[rateText(key), `${key.connections}`, stateText(key)],
  ])
  return [['ID', 'NAME', 'ENVIRONMENT', 'TOPICS', 'ORIGINS', 'REQUESTS', 'CONNECTIONS', 'STATE'], ...rows]
}

function rateText({ rate, burst }: ListedKey): string {
  if (rate === undefined && burst === undefined) return 'default'
  return `${rate === undefined ? 'default rate' : `${rate}/s`}, ${burst ?? 'default'} at once`
}

function stateText({ state, expires, revoked }: ListedKey): string {
  if (state === 'revoked') return `revoked ${revoked}`
  if (state === 'expired') return `expired ${expires}`
  return expires === undefined ? 'usable' : `usable until ${expires}`
}

function addShowCommand(keys: Command, context: CommandContext): void {
  const command = keys
    .command('show')
    .description('show the rights, limits and state of an API key')
    .argument('<id>', 'id of the key, as "connector keys list" shows it')
  addQueueAction(command, 'print a JSON object', context, async function* (queue, id: string) {
    const { findKey } = await import('@headrace/server')
    const key = await findKey(queue, id)
    yield { json: () => [key], text: () => keyFacts(key) }
  })
  addExample(command, 'connector keys show 5f0c2b9a41d7e863')
}

function keyFacts(key: ListedKey): string {
  const { id, name, environment, topics, origins, requireOrigin, connections, quota, contact, created } = key
  return formatFacts({
    ...{ id, name, environment, topics: topics.join(' '), origins: origins.join(' ') || 'any' },
    ...(requireOrigin && { 'requires origin': 'yes' }),
    ...{ requests: rateText(key), connections: `${connections}` },
    'monthly quota': quota
      ? Object.entries(quota)
          .map(([of, count]) => `${count} ${of}`)
          .join(', ')
      : 'none',
    ...{ contact: contact ?? 'none', created, state: stateText(key) },
    ...(key.replacedBy !== undefined && { 'replaced by': key.replacedBy }),
  })
}

function addUpdateCommand(keys: Command, context: CommandContext): void {
  const command = keys
    .command('update')
    .description('change an API key: gateways apply it within 2 s, also to open connections')
    .argument('<id>', 'id of the key, as "connector keys list" shows it')
    .option('--name <name>', 'name of the key, for people')
  addKeyOptions(command, 'changed')
    .option('--no-require-origin', 'allow requests without an Origin header')
    .hook('preAction', (command) => {
      if (Object.keys(keyChangeOf(command.opts())).length === 0)
        command.error('error: name at least one thing to change')
    })
  addQueueAction(
    command,
    'print the changed key as a JSON object',
    context,
    async function* (queue, id: string, options: KeyChangeOptions) {
      const { updateKey } = await import('@headrace/server')
      const key = await updateKey(queue, id, keyChangeOf(options))
      yield { json: () => [key], text: () => keyFacts(key) }
    },
  )
  addExample(command, 'connector keys update 5f0c2b9a41d7e863 --rate 500 --expires never')
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
