import { resolve } from 'node:path'
import { formatProblem, InvalidProjectError, loadProject, type Project } from '@headrace/catalog'
import type { CommandContext } from '../command-context.ts'

/**
 * Loads the project in a folder and reports its warnings.
 *
 * @throws {InvalidProjectError} with a list of the mistakes and their places.
 */
export async function loadConnectorProject(dir: string, { warn }: Pick<CommandContext, 'warn'>): Promise<Project> {
  const { project, problems } = await loadProject(resolve(dir))
  if (!project) throw new InvalidProjectError(problems)
  for (const problem of problems) warn(formatProblem(problem))
  return project
}
