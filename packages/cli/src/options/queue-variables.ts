import cluster from 'node:cluster'
import { UserError } from '@headrace/queue'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { noteEnvFile, withEnvFile } from '../env-file/with-env-file.ts'
import type { QueueOptions } from './queue-options.ts'

/**
 * Options that are not given may come from variables, also in the `.env` file of the connector's folder, or of the
 * current one.
 */
export async function takeQueueVariables(command: Command, context: CommandContext): Promise<void> {
  if (!command.options.some(({ long }) => long === '--queue')) return
  const options: QueueOptions = command.opts()
  const isGiven = command.getOptionValueSource('queue') === 'cli'
  if (isGiven && options.queue.startsWith('embedded:') && options.kafkaConfig !== undefined)
    command.error(`error: --kafka-config is for Kafka, and "${options.queue}" is an embedded queue`)
  if (isGiven && (!options.queue.startsWith('kafka:') || options.kafkaConfig !== undefined)) return
  const place = command.registeredArguments.findIndex((argument) => argument.name() === 'dir')
  const { environment, envFile } = await withEnvFile(command.processedArgs[place] ?? '.', context).catch((error) => {
    // A command with a folder reads the file again and reports the error; `connector dev` then waits for a correction.
    if (place >= 0 && error instanceof UserError) return { ...context, envFile: undefined }
    throw error
  })
  const isInFile = (name: string): boolean => envFile?.variables.includes(name) ?? false
  const queue = isGiven ? options.queue : environment.queue
  if (!isGiven && queue !== undefined) {
    command.setOptionValueWithSource('queue', queue, 'env')
    command.setOptionValue('queueFrom', `HEADRACE_QUEUE${isInFile('HEADRACE_QUEUE') ? ` in ${envFile!.file}` : ''}`)
  }
  if (queue?.startsWith('kafka:')) command.setOptionValue('kafkaConfig', options.kafkaConfig ?? environment.kafkaConfig)
  const variables = envFile?.variables.filter((name) => name.startsWith('HEADRACE_')) ?? []
  if (place < 0 && envFile && variables.length > 0 && cluster.isPrimary)
    noteEnvFile({ ...context, envFile: { ...envFile, variables } })
}
