import { resolve } from 'node:path'
import {
  type Adoption,
  adoptedFormats,
  adoptedKeyForms,
  checkAdoptable,
  checkAdoptedAgain,
  createRegistryClients,
  describeAdoption,
  framings,
  readAdoptions,
  writeAdoption,
} from '@headrace/catalog'
import { type Queue, UserError } from '@headrace/queue'
import { type Command, Option } from 'commander'
import { type DecodedRecords, decodeNewest } from '../adopting/decode-newest.ts'
import type { CommandContext } from '../command-context.ts'
import { addExample, addQueueAction, type Results } from '../output/result.ts'
import { count } from '../output/table.ts'
import { suggestTopics } from '../reading/open-topic.ts'

interface AdoptOptions {
  readonly format?: Adoption['format']
  readonly schema?: string
  readonly schemaRegistry?: string
  readonly subject?: string
  readonly message?: string
  readonly framing?: Adoption['framing']
  readonly key: Adoption['keyForm']
  readonly bytes: Adoption['bytes']
  readonly remove?: true
}

export function addAdoptCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('adopt')
    .description('serve a topic that other programs write, or change how it is read')
    .argument('<topic>', 'its name, e.g. orders')
    .addOption(new Option('--format <format>', 'of its values').choices(adoptedFormats))
    .option('--schema <file>', 'a .proto file, an Avro schema, or for JSON a JSON Schema, which is optional')
    .addOption(
      new Option(
        '--schema-registry <url>',
        'read the schemas there: https://[USER:PASSWORD@]HOST[:PORT]; a password is not stored',
      ).conflicts('schema'),
    )
    .option('--subject <name>', 'of the schema registry (default: TOPIC-value)')
    .option('--message <name>', 'of protobuf: the message, if the schema has several')
    .addOption(
      new Option(
        '--framing <framing>',
        'confluent: values begin with the id of a schema, or have it in a header (default: with a registry; else raw)',
      ).choices(framings),
    )
    .addOption(
      new Option('--key <form>', 'what record keys are; int: big-endian, 4 or 8 bytes')
        .choices(adoptedKeyForms)
        .default('string'),
    )
    .addOption(
      new Option('--bytes <form>', 'how bytes are written in JSON').choices(['hex', 'base64']).default('base64'),
    )
    .option('--remove', 'serve it no more; its records are not changed')
    .hook('preAction', (command) => {
      const { format, remove } = command.opts<AdoptOptions>()
      if (!format && !remove) command.error(`error: --format is missing. It is one of ${adoptedFormats.join(', ')}`)
    })
  addQueueAction(command, 'print a JSON object', context, (queue, topic: string, options: AdoptOptions) =>
    options.remove ? removeAdoption(queue, topic) : adopt(queue, topic, options, context),
  )
  addExample(command, 'connector adopt orders --format json --queue kafka://localhost:9092')
}

async function* removeAdoption(queue: Queue, topic: string): Results {
  if (!(await readAdoptions(queue)).has(topic))
    throw new UserError('adoption_refused', `Topic "${topic}" is not adopted: nothing was removed.`)
  await writeAdoption(queue, topic, undefined)
  yield { json: () => [{ topic, removed: true }], text: () => `"${topic}" is not served any more.\n` }
}

async function* adopt(queue: Queue, topic: string, options: AdoptOptions, context: CommandContext): Results {
  const [description] = await queue.describe([topic])
  if (!description) {
    const names = (await queue.describe()).map(({ name }) => name).filter((name) => !name.startsWith('_'))
    throw new UserError('unknown_topic', `There is no topic "${topic}" in this queue.${suggestTopics(topic, names)}`)
  }
  await checkAdoptable(queue, description)
  const { schemaRegistry: url, schema, subject, message, key: keyForm, bytes } = options
  const clientOf = createRegistryClients(context.environment)
  const client = url === undefined ? undefined : clientOf(url)
  const adoption = await describeAdoption({
    ...{ topic, keyForm, bytes, subject, message, partitions: description.partitions.length },
    format: options.format!,
    framing: options.framing ?? (client ? 'confluent' : 'raw'),
    schemaFile: schema && resolve(schema),
    schemaRegistry: client,
  })
  await checkAdoptedAgain(queue, adoption)
  const decoded = await decodeNewest(queue, { adoption, description }, { schemaRegistry: clientOf })
  await writeAdoption(queue, topic, adoption)
  const { read, failed, reason } = decoded
  if (reason !== undefined)
    context.warn(`${failed} of the ${count(read, 'newest record')} cannot be decoded, the last because ${reason}.`)
  const { format, framing, message: found = null, partitions } = adoption
  yield {
    json: () => [{ topic, format, framing, message: found, partitions, newest: { read, failed } }],
    text: () => `${describe(adoption, decoded)}\n`,
  }
}

function describe({ topic, format, message, partitions }: Adoption, { read, failed }: DecodedRecords): string {
  const what = message === undefined ? format : `${format} (${message})`
  const newest = read === 0 ? 'It is empty' : `${read - failed} of the ${count(read, 'newest record')} can be decoded`
  return `"${topic}" is served as ${what}, with ${count(partitions, 'partition')}. ${newest}.`
}
