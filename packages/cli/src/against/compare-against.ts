import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Comparison, compareProjects, comparePublished, type Project, readRegistry } from '@headrace/catalog'
import { UserError } from '@headrace/queue'
import { openExistingQueue, type QueueContext, type QueueOptions } from '../options/queue-options.ts'
import { loadProjectAtRef, loadProjectIn } from './project-at-ref.ts'

export interface CompareAgainstOptions extends Pick<QueueOptions, 'kafkaConfig'> {
  /** A git ref, a folder, a manifest.yaml, or the URL of a queue. */
  readonly against: string
}

export interface AgainstResult extends Comparison {
  /** The reason if nothing was compared. */
  readonly nothing?: string
}

/** A path that exists wins over a git ref of the same name. */
export async function compareAgainst(
  project: Project,
  options: CompareAgainstOptions,
  context: QueueContext,
): Promise<AgainstResult> {
  const { against } = options
  // From an unset variable in a script. It would compare the current folder with itself.
  if (against === '') throw new UserError('invalid_against', '--against is empty. Give a git ref, a folder or a queue.')
  if (/^(embedded|kafka):/.test(against)) return compareWithQueue(project, { ...options, queue: against }, context)
  const isPath = await stat(resolve(against)).catch(() => undefined)
  const before = isPath
    ? await loadProjectIn(resolve(against))
    : await loadProjectAtRef(project, against, context.environment)
  if (!before) return { ...none, nothing: 'there was no manifest.yaml then' }
  if (before.lineage !== project.lineage)
    return {
      ...none,
      nothing: `it belongs to ${before.lineage}, and this project to ${project.lineage}, which has other topics`,
    }
  return compareProjects(before, project)
}

const none: Comparison = { topics: [], problems: [] }

async function compareWithQueue(
  project: Project,
  options: QueueOptions,
  context: QueueContext,
): Promise<AgainstResult> {
  await using queue = await openExistingQueue(options, context)
  const registrations = [...(await readRegistry(queue)).values()]
  const published = registrations.filter(({ lineage }) => lineage === project.lineage)
  const comparison = comparePublished(published, project)
  return published.length > 0 ? comparison : { ...comparison, nothing: `${project.lineage} has no topics there yet` }
}
