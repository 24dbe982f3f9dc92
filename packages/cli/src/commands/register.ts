import { checkTopics, createSystemTopics, registerTopics, resolveTopics, topicRegistrations } from '@headrace/catalog'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addQueueOptions, openQueueOf, type QueueOptions } from '../options/queue-options.ts'
import { newTopicsOption } from '../options/run-options.ts'
import { addProjectOptions, loadConfiguredProject, type SettingsOptions } from '../options/settings-options.ts'
import { addExample, addResultAction, type Results } from '../output/result.ts'

interface RegisterOptions extends QueueOptions, SettingsOptions {
  readonly newTopics?: true
}

/** For connectors that publish without the runtime, in any language. */
export function addRegisterCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('register')
    .description('create the topics of a connector and register their schemas, without running it')
  addProjectOptions(command).addOption(newTopicsOption)
  addResultAction(command, 'print one JSON object per topic', context, register)
  addQueueOptions(command)
  addExample(command, 'connector register examples/python-clock --queue kafka://localhost:9092')
}

async function* register(dir: string, options: RegisterOptions, baseContext: CommandContext): Results {
  const { context, project, settings } = await loadConfiguredProject(dir, options, baseContext)
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
}
