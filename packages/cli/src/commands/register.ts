import {
  checkTopics,
  createSystemTopics,
  type Project,
  registerTopics,
  resolveTopics,
  type TopicRegistration,
  topicRegistrations,
} from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addExample } from '../options/example.ts'
import { addFolderArgument } from '../options/folder-argument.ts'
import { addQueueOptions, openQueueOf, type QueueOptions } from '../options/queue-options.ts'
import { addSettingsOptions, loadConfiguredProject, type SettingsOptions } from '../options/settings-options.ts'
import { addResultAction, type Result } from '../output/result.ts'

interface RegisterOptions extends QueueOptions, SettingsOptions {
  readonly newTopics?: true
}

/** For connectors that publish without the runtime, in any language. */
export function addRegisterCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('register')
    .description('create the topics of a connector and register their schemas, without running it')
  addSettingsOptions(addFolderArgument(command)).option(
    '--new-topics',
    'publish to new topics if an older version of the connector has published data',
  )
  addResultAction(command, 'print one JSON object per topic', context, register)
  addQueueOptions(command)
  addExample(command, 'connector register examples/python-clock --queue kafka://localhost:9092')
}

async function register(dir: string, options: RegisterOptions, baseContext: CommandContext): Promise<Result> {
  const { context, project, settings } = await loadConfiguredProject(dir, options, baseContext)
  const { instance, topics } = resolveTopics(project, settings, options.instance)
  const registrations = topicRegistrations(project, instance, topics)
  await using queue = await openQueueOf(options, context)
  await registerIn(queue, project, registrations, options.newTopics ?? false)
  return {
    json: () => registrations.map(({ topic, message, partitions }) => ({ topic, message, instance, partitions })),
    text: () => registrations.map(({ topic }) => `${topic}\n`).join(''),
  }
}

async function registerIn(
  queue: Queue,
  { manifest, schema }: Project,
  registrations: readonly TopicRegistration[],
  newTopics: boolean,
): Promise<void> {
  await createSystemTopics(queue)
  const wanted = newTopics || manifest.declaresTopicVersion
  await checkTopics(queue, registrations, { newTopics: wanted, places: schema.places })
  await queue.createTopics(registrations.map(({ topic, partitions }) => ({ name: topic, partitions })))
  await registerTopics(queue, registrations)
}
