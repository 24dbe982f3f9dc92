import { resolve } from 'node:path'
import { HeadraceError, type OpenQueueOptions, openQueue, type Queue } from '@headrace/queue'
import type { Command } from 'commander'
import type { Logger } from 'pino'
import type { CommandContext } from '../command-context.ts'
import type { Environment } from '../environment.ts'
import { announceConnecting } from './announce-connecting.ts'

/** Values of `--queue` and `--kafka-config`. */
export interface QueueOptions {
  readonly queue: string
  readonly kafkaConfig?: string
  /** Which variable `queue` comes from, if it comes from one. */
  readonly queueFrom?: string
}

/** What opening a queue takes of a command's context. */
export type QueueContext = Pick<CommandContext, 'environment' | 'inform'>

/** Gives a command the options of all that touch a queue. */
export function addQueueOptions(command: Command): Command {
  return command
    .option('--queue <url>', 'embedded:FOLDER or kafka://HOST:PORT[,HOST:PORT…] (HEADRACE_QUEUE)', 'embedded:.headrace')
    .option('--kafka-config <file>', 'client.properties with what Kafka needs to let you in (HEADRACE_KAFKA_CONFIG)')
}

/** Opens the queue to write to it: where there is none, it is made. */
export function openQueueOf(options: QueueOptions, context: QueueContext, log?: Logger): Promise<Queue> {
  return open(options, context, { ...(log && { log }) })
}

/**
 * Opens the queue as `openQueueOf` does, and says so where there was none. A command that usually finds one may have been
 * given a wrong folder.
 */
export async function openOrMakeQueue(
  options: QueueOptions,
  context: QueueContext & Pick<CommandContext, 'warn'>,
  log?: Logger,
): Promise<Queue> {
  try {
    return await open(options, context, { ...(log && { log }), create: false })
  } catch (error) {
    if (!(error instanceof HeadraceError && error.code === 'queue_not_found')) throw error
  }
  const queue = await openQueueOf(options, context, log)
  context.warn(`There was no queue in ${resolve(options.queue.replace('embedded:', ''))}: a new, empty one was made.`)
  return queue
}

/** Opens the queue for `use`, to read from it, and closes it afterwards. Looking at a wrong folder leaves nothing there. */
export async function useExistingQueue<T>(
  options: QueueOptions,
  context: QueueContext,
  use: (queue: Queue) => Promise<T>,
): Promise<T> {
  const queue = await open(options, context, { create: false })
  try {
    return await use(queue)
  } finally {
    await queue.close()
  }
}

async function open(
  options: QueueOptions,
  { environment, inform }: QueueContext,
  how: OpenQueueOptions,
): Promise<Queue> {
  const opening = openQueue(options.queue, { ...kafkaConfigOf(options, environment), ...how })
  try {
    return await announceConnecting(options.queue, inform, opening)
  } catch (error) {
    // The error keeps its class and code, on which the exit code depends.
    if (error instanceof HeadraceError && options.queueFrom !== undefined)
      error.message += ` This queue was set by ${options.queueFrom}.`
    throw error
  }
}

/** The variable may be set for a whole machine: it is for those queues that are in a Kafka. */
export function kafkaConfigOf(
  { queue, kafkaConfig: named }: QueueOptions,
  environment: Environment,
): { kafkaConfig?: string } {
  const kafkaConfig = named ?? (queue.startsWith('kafka:') ? environment.kafkaConfig : undefined)
  return kafkaConfig === undefined ? {} : { kafkaConfig }
}
