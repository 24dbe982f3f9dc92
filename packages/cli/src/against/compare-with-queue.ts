import { comparePublished, type Project, readRegistry } from '@headrace/catalog'
import { type QueueContext, type QueueOptions, useExistingQueue } from '../options/queue-options.ts'
import type { AgainstResult } from './compare-against.ts'

/** Compares a project with the topics of its lineage in a queue, those of all instances. */
export function compareWithQueue(
  project: Project,
  options: QueueOptions,
  context: QueueContext,
): Promise<AgainstResult> {
  return useExistingQueue(options, context, async (queue) => {
    const registrations = [...(await readRegistry(queue)).values()]
    const published = registrations.filter(({ lineage }) => lineage === project.lineage)
    const comparison = comparePublished(published, project)
    return published.length > 0 ? comparison : { ...comparison, nothing: `${project.lineage} has no topics there yet` }
  })
}
