import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { formatProblem, loadProject, type Problem, type Project } from '@headrace/catalog'
import { UserError } from '@headrace/queue'

export async function loadProjectIn(path: string): Promise<Project> {
  const isFile = (await stat(path)).isFile()
  if (isFile && basename(path) !== 'manifest.yaml')
    throw new UserError(
      'invalid_against',
      `--against names the file ${path}. It must be a manifest.yaml in a folder with its .proto files, such a folder, ` +
        'a git ref, or a queue (embedded:FOLDER, kafka://HOST:PORT).',
    )
  const { project, problems } = await loadProject(isFile ? dirname(path) : path)
  return project ?? refuse(path, problems)
}

export function refuse(name: string, problems: readonly Problem[]): never {
  const errors = problems.filter(({ severity }) => severity === 'error')
  throw new UserError(
    'invalid_against',
    `--against names ${name}, whose manifest has mistakes. Name a version without mistakes.\n` +
      errors.map((problem) => `  - ${formatProblem(problem)}`).join('\n'),
  )
}
