import { openQueue, type Queue } from '@headrace/queue'
import type { Command } from 'commander'
import type { Logger } from 'pino'
import type { Environment } from '../environment.ts'

/** Values of `--queue` and `--kafka-config`. */
export interface QueueOptions {
  readonly queue: string
  readonly kafkaConfig?: string
}

/** Gives a command the options of all that touch a queue. */
export function addQueueOptions(command: Command): Command {
  return command
    .option('--queue <url>', 'embedded:FOLDER or kafka://HOST:PORT[,HOST:PORT…]', 'embedded:.headrace')
    .option('--kafka-config <file>', 'client.properties with what Kafka needs to let you in (HEADRACE_KAFKA_CONFIG)')
}

export function openQueueOf(options: QueueOptions, environment: Environment, log?: Logger): Promise<Queue> {
  const kafkaConfig = options.kafkaConfig ?? environment.kafkaConfig
  return openQueue(options.queue, { ...(kafkaConfig !== undefined && { kafkaConfig }), ...(log && { log }) })
}
