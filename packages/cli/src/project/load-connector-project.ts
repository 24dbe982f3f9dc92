import { resolve } from 'node:path'
import { formatProblem, InvalidProjectError, loadProject, type Project } from '@headrace/catalog'
import type { CommandContext } from '../command-context.ts'

/** Reports the project's warnings. Throws its errors. */
export async function loadConnectorProject(dir: string, { warn }: Pick<CommandContext, 'warn'>): Promise<Project> {
  const { project, problems } = await loadProject(resolve(dir))
  if (!project) throw new InvalidProjectError(problems)
  for (const problem of problems) warn(formatProblem(problem))
  return project
}
