import {
  type CopiedSchema,
  checkTopics,
  copySchemas,
  createRegistryClients,
  createSystemTopics,
  registerTopics,
  resolveTopics,
  topicRegistrations,
} from '@headrace/catalog'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addQueueOptions, openQueueOf, type QueueOptions } from '../options/queue-options.ts'
import { newTopicsOption } from '../options/run-options.ts'
import { addProjectOptions, loadConfiguredProject, type SettingsOptions } from '../options/settings-options.ts'
import { addExample, addResultAction, type Results } from '../output/result.ts'

interface RegisterOptions extends QueueOptions, SettingsOptions {
  readonly newTopics?: true
  readonly schemaRegistry?: string
}

/** For connectors that publish without the runtime, in any language. */
export function addRegisterCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('register')
    .description('create the topics of a connector and register their schemas, without running it')
  addProjectOptions(command)
    .addOption(newTopicsOption)
    .option(
      '--schema-registry <url>',
      'copy the schemas there too: https://[USER:PASSWORD@]HOST[:PORT]; a URL with a password may be in HEADRACE_SCHEMA_REGISTRY instead',
    )
  addResultAction(command, 'print one JSON object per topic', context, register)
  addQueueOptions(command)
  addExample(command, 'connector register examples/python-clock --queue kafka://localhost:9092')
}

async function* register(dir: string, options: RegisterOptions, baseContext: CommandContext): Results {
  const { context, project, settings } = await loadConfiguredProject(dir, options, baseContext)
  const clientOf = createRegistryClients(context.environment)
  const client = options.schemaRegistry === undefined ? undefined : clientOf(options.schemaRegistry)
  const { instance, topics } = resolveTopics(project, settings, options.instance)
  const registrations = topicRegistrations(project, instance, topics)
  const newTopics = options.newTopics ?? project.manifest.declaresTopicVersion
  await using queue = await openQueueOf(options, context)
  await createSystemTopics(queue)
  await checkTopics(queue, registrations, { newTopics, places: project.schema.places })
  await queue.createTopics(registrations.map(({ topic, partitions }) => ({ name: topic, partitions })))
  await registerTopics(queue, registrations)
  yield {
    json: () => registrations.map(({ topic, message, partitions }) => ({ topic, message, instance, partitions })),
    text: () => registrations.map(({ topic }) => `${topic}\n`).join(''),
  }
  if (!client) return
  const names = registrations.map(({ topic }) => topic)
  const others: CopiedSchema[] = []
  for await (const copied of copySchemas(queue, names, client)) {
    if (copied.guid !== copied.recordGuid) others.push(copied)
    yield { json: () => [copied], text: () => describeCopy(copied) }
  }
  if (others.length > 0) context.warn(otherGuids(client.url, others))
}

function describeCopy({ subject, version, id, registered }: CopiedSchema): string {
  return `${subject} version ${version}, id ${id}: ${registered ? 'registered' : 'already registered'}\n`
}

function otherGuids(url: string, copied: readonly CopiedSchema[]): string {
  const [{ subject, version, guid, recordGuid }] = copied as [CopiedSchema]
  const found =
    guid === undefined ? 'it reports no GUIDs' : `version ${version} of "${subject}" has the GUID ${guid} there`
  return (
    `Tools that ask ${url} may not find the schema of a record: ${found}, and records on Kafka name ${recordGuid}. Use a ` +
    'registry of Confluent Platform 8.0 or newer, without default metadata and rules, or that of a gateway.'
  )
}
