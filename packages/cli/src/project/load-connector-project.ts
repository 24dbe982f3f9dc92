import { resolve } from 'node:path'
import { formatProblem, InvalidProjectError, loadProject, type Project } from '@headrace/catalog'
import type { CommandContext } from '../command-context.ts'

/**
 * Loads the project in a folder and notes its warnings.
 *
 * @throws {InvalidProjectError} it has mistakes; the message lists them with their places.
 */
export async function loadConnectorProject(dir: string, { note }: Pick<CommandContext, 'note'>): Promise<Project> {
  const { project, problems } = await loadProject(resolve(dir))
  if (!project) throw new InvalidProjectError(problems)
  for (const problem of problems) note(formatProblem(problem))
  return project
}
