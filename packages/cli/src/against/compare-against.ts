import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Comparison, compareProjects, type Project } from '@headrace/catalog'
import { UserError } from '@headrace/queue'
import type { QueueContext, QueueOptions } from '../options/queue-options.ts'
import { compareWithQueue } from './compare-with-queue.ts'
import { loadProjectAtRef } from './project-at-ref.ts'
import { loadProjectIn } from './project-in-folder.ts'

export interface CompareAgainstOptions extends Pick<QueueOptions, 'kafkaConfig'> {
  /** A git ref of the project's repository, a folder or its manifest.yaml, or the URL of a queue. */
  readonly against: string
}

export interface AgainstResult extends Comparison {
  /** Why there was nothing to compare. */
  readonly nothing?: string
}

/**
 * Compares a project with what was published before. What is a file is not taken for a git ref.
 *
 * @throws {UserError} `invalid_against`: there is no such thing, or no manifest in it that can be compared with.
 */
export async function compareAgainst(
  project: Project,
  options: CompareAgainstOptions,
  context: QueueContext,
): Promise<AgainstResult> {
  const { against } = options
  // A variable that is not set in a script: the current folder would be compared with itself, and nothing found.
  if (against === '')
    throw new UserError('invalid_against', '--against names nothing. Give a git ref, a folder or a queue.')
  if (/^(embedded|kafka):/.test(against)) return compareWithQueue(project, { ...options, queue: against }, context)
  const isPath = await stat(resolve(against)).catch(() => undefined)
  const before = isPath
    ? await loadProjectIn(resolve(against))
    : await loadProjectAtRef(project, against, context.environment)
  if (!before) return { ...none, nothing: 'there was no manifest.yaml then' }
  if (before.lineage !== project.lineage)
    return {
      ...none,
      nothing: `it belongs to ${before.lineage}, and this to ${project.lineage}: other topics, which begin anew`,
    }
  return compareProjects(before, project)
}

const none: Comparison = { topics: [], problems: [] }
