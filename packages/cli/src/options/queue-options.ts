import cluster from 'node:cluster'
import { resolve } from 'node:path'
import {
  defaultKafkaSettings,
  HeadraceError,
  type OpenQueueOptions,
  openQueue,
  type Queue,
  UserError,
} from '@headrace/queue'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { type EnvFile, noteEnvFile, withEnvFile } from '../env-file/with-env-file.ts'
import type { Environment } from '../environment.ts'

export interface QueueOptions {
  readonly queue: string
  readonly kafkaConfig?: string
  /** The variable that `queue` comes from. */
  readonly queueFrom?: string
}

export type QueueContext = Pick<CommandContext, 'environment' | 'inform'>

export function addQueueOptions(command: Command): Command {
  return command
    .option(
      '--queue <url>',
      'embedded:FOLDER or kafka://HOST:PORT[,HOST:PORT…]; also HEADRACE_QUEUE',
      'embedded:.headrace',
    )
    .option(
      '--kafka-config <file>',
      'client.properties with the security settings of Kafka; also HEADRACE_KAFKA_CONFIG',
    )
}

const noEnvFile: EnvFile = { file: '', places: {} }

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
    if (place >= 0 && error instanceof UserError) return { ...context, envFile: noEnvFile }
    throw error
  })
  const queue = isGiven ? options.queue : environment.queue
  if (!isGiven && queue !== undefined) {
    const file = envFile.places.HEADRACE_QUEUE ? ` in ${envFile.file}` : ''
    command.setOptionValueWithSource('queue', queue, 'env')
    command.setOptionValue('queueFrom', `HEADRACE_QUEUE${file}`)
  }
  if (queue?.startsWith('kafka:')) command.setOptionValue('kafkaConfig', options.kafkaConfig ?? environment.kafkaConfig)
  if (place < 0 && cluster.isPrimary) noteEnvFile({ ...context, envFile }, 'HEADRACE_')
}

export type UsedQueue = Queue & AsyncDisposable

export async function openQueueOf(
  options: QueueOptions,
  { environment, inform }: QueueContext,
  how?: OpenQueueOptions,
): Promise<UsedQueue> {
  const opening = openQueue(options.queue, { ...kafkaConfigOf(options, environment), ...how })
  try {
    const queue = await announceConnecting(options.queue, inform, opening)
    return Object.assign(queue, { [Symbol.asyncDispose]: () => queue.close() })
  } catch (error) {
    // Changes the message only: the exit code depends on the class and the code.
    if (error instanceof HeadraceError && options.queueFrom !== undefined)
      error.message += ` This queue was set by ${options.queueFrom}.`
    throw error
  }
}

/** As `openQueueOf`, with a warning if it creates the queue: the folder may be a wrong one. */
export async function openOrMakeQueue(
  options: QueueOptions,
  context: QueueContext & Pick<CommandContext, 'warn'>,
  how?: OpenQueueOptions,
): Promise<UsedQueue> {
  try {
    return await openQueueOf(options, context, { ...how, create: false })
  } catch (error) {
    if (!(error instanceof HeadraceError && error.code === 'queue_not_found')) throw error
  }
  const queue = await openQueueOf(options, context, how)
  context.warn(`There was no queue in ${resolve(options.queue.replace('embedded:', ''))}: an empty one was created.`)
  return queue
}

export function openExistingQueue(
  options: QueueOptions,
  context: QueueContext,
  how?: OpenQueueOptions,
): Promise<UsedQueue> {
  return openQueueOf(options, context, { ...how, create: false })
}

/** The variable may be set for a whole machine, so an embedded queue ignores it. */
export function kafkaConfigOf(
  { queue, kafkaConfig: named }: QueueOptions,
  environment: Environment,
): { kafkaConfig?: string } {
  const kafkaConfig = named ?? (queue.startsWith('kafka:') ? environment.kafkaConfig : undefined)
  return kafkaConfig === undefined ? {} : { kafkaConfig }
}

/** Ms. A faster connection is not announced. */
const quietMs = 1000

export async function announceConnecting<T>(
  queueUrl: string,
  inform: (text: string) => void,
  connecting: Promise<T>,
): Promise<T> {
  if (!queueUrl.startsWith('kafka:')) return connecting
  const seconds = defaultKafkaSettings.budgetMs / 1000
  const timer = setTimeout(() => inform(`Connecting to ${queueUrl} (gives up after ${seconds} s)…`), quietMs)
  try {
    return await connecting
  } finally {
    clearTimeout(timer)
  }
}
