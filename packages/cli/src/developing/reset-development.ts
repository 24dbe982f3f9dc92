import { readAdoptions, readRegistry, systemTopics } from '@headrace/catalog'
import { HeadraceError, resetQueue, UserError } from '@headrace/queue'
import { listKeys } from '@headrace/server'
import { openExistingQueue, type QueueContext, type QueueOptions } from '../options/queue-options.ts'
import { loadConnectorProject } from '../project/load-connector.ts'

/** Throws `reset_refused` unless the queue holds only topics of this connector and keys of development. */
export async function checkReset(dir: string, options: QueueOptions, context: QueueContext): Promise<void> {
  if (!options.queue.startsWith('embedded:'))
    throw resetRefused('is a Kafka, and only an embedded queue is reset', options)
  const { manifest } = await loadConnectorProject(dir, { warn: () => {} })
  await ifQueueExists(async () => {
    await using queue = await openExistingQueue(options, context)
    const registrations = [...(await readRegistry(queue)).values()]
    const foreign = registrations.find(
      ({ connector }) => connector.owner !== manifest.owner || connector.package !== manifest.package,
    )
    if (foreign) throw resetRefused(`has topics of other connectors, such as ${foreign.topic}`, options)
    const [adopted] = (await readAdoptions(queue)).keys()
    if (adopted !== undefined) throw resetRefused(`has adopted topics, such as ${adopted}`, options)
    const keys = await listKeys(queue)
    if (keys.some(({ state, environment }) => state === 'usable' && environment === 'production'))
      throw resetRefused('has API keys of production', options)
  })
}

/** Keeps API keys and their usage. */
export async function resetDevelopment({ queue }: QueueOptions): Promise<void> {
  await ifQueueExists(() => resetQueue(queue, { keep: [systemTopics.keys, systemTopics.usage] }))
}

async function ifQueueExists(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof HeadraceError && error.code === 'queue_not_found')) throw error
  }
}

function resetRefused(reason: string, { queue }: QueueOptions): UserError {
  return new UserError(
    'reset_refused',
    `The queue ${queue} is not reset: it ${reason}. "connector checkpoint reset --start" reverts the records of this ` +
      'connector, and lets it begin again.',
  )
}
