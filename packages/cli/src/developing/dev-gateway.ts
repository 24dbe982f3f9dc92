import { statSync } from 'node:fs'
import { join } from 'node:path'
import { explorerFolder } from '@headrace/explorer'
import { type Queue, UserError, unlessAborted } from '@headrace/queue'
import { type Gateway, listKeys, revokeKey } from '@headrace/server'
import type { CommandContext } from '../command-context.ts'
import { withEnvFile } from '../env-file/with-env-file.ts'
import { openQueueOf } from '../options/queue-options.ts'
import { showFirstSteps } from '../serving/announce.ts'
import { startGateway } from '../serving/run-gateway.ts'
import { createRunKey, explorerLink, type RunKey } from '../serving/run-key.ts'
import type { DevOptions } from './process-messages.ts'

/** Stays up across restarts of the connector. */
export interface DevGateway {
  published(topics: readonly string[]): void
  /** Opens the queue again if the folder of an embedded one was removed. */
  refresh(): Promise<void>
  /** Closes the queue during `work`, then serves again at the same address. */
  whileClosed<T>(work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

interface Serving {
  readonly queue: Queue
  readonly gateway: Gateway
  readonly file: number | undefined
}

const host = '127.0.0.1'
const usualPorts = Array.from({ length: 10 }, (_, index) => 8080 + index)
/** Ms from the first record to the list of topics, so that it counts most records of a short source. */
const listMs = 500

/** Resolves to `undefined` if the command is stopped before the queue is open. */
export async function startDevGateway(
  dir: string,
  options: DevOptions,
  baseContext: CommandContext,
): Promise<DevGateway | undefined> {
  // Only Kafka needs variables here. The run reports a mistake in the `.env` file, and waits for a change.
  const context = options.queue.startsWith('kafka:') ? await withEnvFile(dir, baseContext) : baseContext
  const { log, isForPeople } = context.startLogging()
  const signal = context.shutdownSignal()
  let key: RunKey | undefined
  let listed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let isOpen = true

  const opened = await open(options.port === undefined ? usualPorts : [options.port])
  if (!opened) return undefined
  let serving: Serving = opened
  const { url } = serving.gateway
  const served = { queue: options.queue, environment: 'development' } as const
  await announce()

  return {
    published(topics) {
      if (topics.every((topic) => listed.has(topic))) return
      for (const topic of topics) listed.add(topic)
      clearTimeout(timer)
      const list = () => showFirstSteps(serving.queue, { url, key: key?.key, options: served, topics }, context)
      timer = setTimeout(list, listMs)
    },
    async refresh() {
      if (serving.file !== fileOf(options)) await whileClosed(async () => {})
    },
    whileClosed,
    async close() {
      clearTimeout(timer)
      // The queue could not be opened again. The key expires.
      if (!isOpen) return
      await serving.gateway.close()
      // If the folder of the queue was removed, so was the key.
      if (key && serving.file === fileOf(options)) await revokeKey(serving.queue, key.id)
      await serving.queue.close()
    },
  }

  async function open(ports: readonly number[]): Promise<Serving | undefined> {
    const queue = await unlessAborted(openQueueOf(options, context, { log }), signal)
    if (!queue) return undefined
    try {
      const gateway = await startAtOneOf(ports, {
        queue,
        log,
        host,
        environment: 'development',
        explorer: explorerFolder,
      })
      return { queue, gateway, file: fileOf(options) }
    } catch (error) {
      await queue.close()
      throw error
    }
  }

  async function announce(): Promise<void> {
    const known = key && (await listKeys(serving.queue)).find(({ id, state }) => id === key!.id && state === 'usable')
    if (known) return
    key = await createRunKey(serving.queue, 'dev --serve')
    const explorer = await explorerLink(url, key)
    log.info({ url, key: key.key, ...(!isForPeople && { explorer }) }, 'serving')
    if (isForPeople) context.note(`Explorer: ${explorer}`)
  }

  async function whileClosed<T>(work: () => Promise<T>): Promise<T> {
    clearTimeout(timer)
    listed = new Set()
    await serving.gateway.close()
    await serving.queue.close()
    isOpen = false
    try {
      return await work()
    } finally {
      const again = await open([Number(new URL(url).port)])
      if (again) {
        serving = again
        isOpen = true
        await announce()
      }
    }
  }
}

async function startAtOneOf(
  [port, ...others]: readonly number[],
  options: Omit<Parameters<typeof startGateway>[0], 'port'>,
): Promise<Gateway> {
  try {
    return await startGateway({ ...options, port: port! })
  } catch (error) {
    const isTaken = error instanceof UserError && (error.cause as NodeJS.ErrnoException)?.code === 'EADDRINUSE'
    if (isTaken && others.length > 0) return startAtOneOf(others, options)
    throw error
  }
}

/** The inode of an embedded queue's file. */
function fileOf({ queue }: DevOptions): number | undefined {
  if (!queue.startsWith('embedded:')) return undefined
  return statSync(join(queue.slice('embedded:'.length), 'queue.db'), { throwIfNoEntry: false })?.ino
}
